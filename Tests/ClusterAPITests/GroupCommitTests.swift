import Glibc
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// Writes that wait together come to what they come to one after another.
@Suite(.timeLimit(.minutes(10))) struct GroupCommitTests {
  /// What of an answer is the same whenever it is given.
  private struct Told: Equatable, CustomStringConvertible {
    var status: Int
    var text: String
    var tag: String?
    var location: String?

    init(_ answer: Answer) {
      (status, text) = (answer.status, answer.text)
      (tag, location) = (answer.response.etag, answer.response.header("Location"))
    }

    var description: String { "\(status) \(tag ?? "-") \(location ?? "-") \(text)" }
  }

  /// Sends writes while the writer is held up, and waits for their answers.
  private static func together(_ writes: [RandomWrite], _ service: Service) async -> [Told] {
    let answers = Locked([Int: Told]())
    let held = HeldWriter(service)
    await withCheckedContinuation { continuation in
      for (number, write) in writes.enumerated() {
        service.begin(
          write.method, write.target, write.body, type: write.type, headers: write.headers
        ) { answer in
          let count = answers.withLock { answers in
            answers[number] = Told(answer)
            return answers.count
          }
          if count == writes.count { continuation.resume() }
        }
        // One that is long is read on another thread, and comes into the queue when it has been.
        while service.writer.waitingWrites + answers.withLock({ $0.count }) <= number {
          usleep(100)
        }
      }
      held.release()
    }
    return writes.indices.compactMap { answers.value[$0] }
  }

  private static func state(_ service: Service) async -> [String] {
    var state: [String] = []
    for path in [
      "", "/c/items?limit=999", "/d/items?limit=999", "/c", "/d",
      "/c/clusters?bbox=-180,-85,180,85&zoom=3",
    ] { state.append(await service.get("/collections\(path)").text) }
    return state
  }

  @Test(arguments: Seeds.each(501...506))
  func `together they come to what they come to one by one`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let (one, other) = (try Service(), try Service())
    for _ in 0..<12 {
      let writes = (0..<generator.pick([1, 2, 5, 40])).map { _ in
        RandomWrite(using: &generator)
      }
      var expected: [Told] = []
      for write in writes {
        let answer = await one.send(
          write.method, write.target, write.body, type: write.type, headers: write.headers)
        expected.append(Told(answer))
      }
      let got = await GroupCommitTests.together(writes, other)
      let differing = writes.indices.first { got[$0] != expected[$0] }
      #expect(
        differing == nil,
        "\(differing.map { "\(writes[$0]): \(got[$0]), not \(expected[$0])" } ?? "")")
      #expect(await GroupCommitTests.state(one) == GroupCommitTests.state(other))
    }
    // What was shown is what is on disk.
    let before = await GroupCommitTests.state(other)
    other.writer.close()
    let again = try Service(of: other.directory)
    #expect(await GroupCommitTests.state(again) == before)
    #expect(one.reports.value == [] && other.reports.value == [])
  }

  @Test func `what waits together is synchronized to disk once`() async throws {
    var generator = SeededGenerator(seed: 511)
    let service = try Service()
    let writes = (0..<100).map { _ in RandomWrite(using: &generator, mayBeLarge: false) }
    let told = await GroupCommitTests.together(writes, service)
    let succeeded = told.count { $0.status / 100 == 2 }
    #expect((10..<100).contains(succeeded))
    #expect(service.writer.counts.commits == 1 && service.writer.counts.writes == succeeded)
    // Others have transactions of their own, in their turn.
    let alone = RandomWrite.collections(3)
    _ = await GroupCommitTests.together(Array(writes[..<5]) + alone + writes[5..<9], service)
    #expect((1 + 3...1 + 5).contains(service.writer.counts.commits))
  }

  @Test func `a transaction takes no more than it should`() async throws {
    let service = try Service()
    let long = String(repeating: "x", count: 200 << 10)
    let large = (0..<45).map { RandomWrite.put($0, "{\"t\":\"\(long)\"}") }
    #expect(await GroupCommitTests.together(large, service).allSatisfy { $0.status == 201 })
    #expect(service.writer.counts.commits == 5)
    let many = (0..<1100).map { RandomWrite.put($0 % 7, "{}") }
    #expect(await GroupCommitTests.together(many, service).allSatisfy { $0.status / 100 == 2 })
    #expect(service.writer.counts.commits == 5 + 2)
    #expect(service.writer.counts.writes == 45 + 1100)
    // Each write has a version of its own.
    #expect(await service.get("/collections/c")["version"]?.int == 45 + 1100)
  }

  @Test func `what was taken is done before the writer closes`() async throws {
    let service = try Service()
    let held = HeldWriter(service)
    let statuses = Locked<[Int]>([])
    for number in 0..<50 {
      let write = RandomWrite.put(number, "{}")
      service.begin(write.method, write.target, write.body, type: write.type) { answer in
        statuses.withLock { $0.append(answer.status) }
      }
    }
    Threads.run(2) { number in
      if number == 0 { service.writer.close() } else { held.release() }
    }
    #expect(statuses.value == Array(repeating: 201, count: 50))
    (await service.send(.delete, "/collections/c")).expectProblem(503)
    let again = try Service(of: service.directory)
    #expect(await again.get("/collections/c")["featureCount"]?.int == 50)
  }

  @Test func `what a full disk refuses is refused as a whole and changes nothing`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let service = try Service()
      let first = RandomWrite.put(0, "{}")
      #expect(await GroupCommitTests.together([first], service).map(\.status) == [201])
      let before = await GroupCommitTests.state(service)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let unlimited = limit.rlim_cur
      limit.rlim_cur = 300_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let long = String(repeating: "x", count: 50_000)
      var writes = (1..<20).map { RandomWrite.put($0, "{\"t\":\"\(long)\"}") }
      // Refused because of one before it, which then isn't there.
      writes.append(writes[0])
      writes[19].headers = [("If-None-Match", "*")]
      for _ in 0..<3 {
        let told = await GroupCommitTests.together(writes, service)
        #expect(told.allSatisfy { $0.status == 507 }, "\(told.map(\.status))")
        #expect(await GroupCommitTests.state(service) == before)
      }
      #expect(await GroupCommitTests.together([first], service).map(\.status) == [200])
      limit.rlim_cur = unlimited
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let told = await GroupCommitTests.together(writes, service)
      #expect(told.map(\.status) == Array(repeating: 201, count: 19) + [412])
      let after = await GroupCommitTests.state(service)
      service.writer.close()
      #expect(await GroupCommitTests.state(try Service(of: service.directory)) == after)
    }
  }
}

extension RandomWrite {
  /// A PUT of a feature with given properties.
  static func put(_ id: Int, _ properties: String) -> RandomWrite {
    RandomWrite(
      .put, "/collections/c/items/\(id)",
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":\#(properties)}"#
    )
  }

  /// PUTs of collections.
  static func collections(_ count: Int) -> [RandomWrite] {
    (0..<count).map { RandomWrite(.put, "/collections/e\($0)", "{}") }
  }
}
