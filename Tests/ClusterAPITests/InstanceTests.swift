import Dispatch
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections
@testable import ClusterCore
@testable import FeatureStore

/// Services that share a database, some of which are behind the others.
@Suite(
  .enabled(if: Service.postgres != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(10)))
struct InstanceTests {
  @Test("a stream that goes on at an instance that is behind waits, and begins where it was")
  func resumed() async throws {
    let services = try Instances()
    let (before, root) = (
      try await services.put("1", of: "a", 1, by: "root"), Instances.bearer("root")
    )
    try await services.settle()
    let target = "/collections/c/changes?bbox=0,0,9,9&zoom=4"
    for service in [services.patient, services.hasty] { service.writer.queue.suspend() }
    let after = try await services.put("1", of: "a", 2, by: "root")
    #expect(after == before + 1)
    let headers = root + [("Last-Event-ID", "\(after)")]
    // Whoever doesn't wait any longer begins with what there is: a browser gives up after any other answer than 200.
    let early = await services.hasty.send(.get, target, headers: headers)
    #expect(early.status == 200 && early.text.contains("event: view\nid: \(before)\n"))
    services.hasty.writer.queue.resume()
    let late = try await Instances.answer(of: services.patient, target, headers: headers) {
      services.patient.writer.queue.resume()
    }
    // There is nothing to tell, as the client shows that version already.
    #expect(late.status == 200 && late.text.hasSuffix("\n\nid: \(after)\n\n"), "\(late.text)")
  }

  @Test(
    "a version that comes again, as a database has taken over without the last change, has other tags"
  )
  func replaced() async throws {
    let first = try Service()
    let second = try Service(sharing: first)
    func put(_ number: Int, at service: Service) async -> Answer {
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":\#(number)}}"#
      return await service.send(.put, "/collections/c/items/1", feature)
    }
    /// The version and the tag of a service's answer, once it shows a number.
    func shown(_ number: Int, at service: Service) async throws -> (version: Int, tag: String) {
      let deadline = MonotonicTime.now + 20_000_000_000
      while MonotonicTime.now < deadline {
        let answer = await service.get("/collections/c/items")
        if answer.text.contains("\"n\":\(number)"), let tag = answer.response.etag {
          return (Int(service.catalog["c"]?.info.version ?? 0), "\"\(tag)\"")
        }
        try await Task.sleep(for: .milliseconds(10))
      }
      throw ExpectedNumber(number: number)
    }
    let editor = try PostgresServers(
      .init(
        address: try PostgresAddress(Service.postgres ?? ""),
        schema: Service.schema(of: first.directory.path))
    ).connect()
    let tables = ["collections", "features", "changes"]
    #expect(await put(1, at: first).status == 201)
    for table in tables { try editor.once("CREATE TABLE kept_\(table) AS TABLE \(table)") }
    #expect(await put(2, at: first).status == 200)
    let before = try await shown(2, at: second)
    #expect(try await shown(2, at: first).tag == before.tag)
    try editor.once("BEGIN")
    for table in tables {
      try editor.once("DELETE FROM \(table)")
      try editor.once("INSERT INTO \(table) OVERRIDING SYSTEM VALUE TABLE kept_\(table)")
    }
    try editor.once("COMMIT")
    let third = try Service(sharing: first)
    #expect(await put(3, at: third).status == 200)
    let tag = try await shown(3, at: third).tag
    for service in [first, second, third] {
      let now = try await shown(3, at: service)
      #expect(now.version == before.version && now.tag == tag && tag != before.tag)
      let asked = await service.send(
        .get, "/collections/c/items", headers: [("If-None-Match", before.tag)])
      #expect(asked.status == 200)
    }
  }

  private struct ExpectedNumber: Error { var number: Int }

  /// A service that shares another one's store, shows what that has, and doesn't follow it from then on.
  private func stale(sharing first: Service, through relay: PostgresRelay? = nil) throws -> Service
  {
    let second = try Service(sharing: first, through: relay)
    second.writer.queue.sync {
      let show = second.writer.shared?.onChange
      second.writer.stopFollowing()
      if let show { second.writer.shared?.onChange = show }
    }
    return second
  }

  private static func feature(_ number: Int, pad: Int = 0) -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":\#(number),"#
      + #""pad":"\#(String(repeating: "x", count: pad))"}}"#
  }

  /// A write of a feature, and the status with which it is to be answered.
  private struct StaleWrite {
    let method: HTTPMethod
    let id: Int
    let body: String?
    let headers: [(name: String, value: String)]
    let status: Int

    init(
      _ method: HTTPMethod, _ id: Int, _ body: String?, _ status: Int,
      _ headers: [(String, String)] = []
    ) {
      (self.method, self.id, self.body, self.status) = (method, id, body, status)
      self.headers = headers.map { (name: $0.0, value: $0.1) }
    }
  }

  @Test(
    "writes that share a transaction are judged by what others have left, not by what is shown",
    arguments: [1, 2, 5])
  func judged(count: Int) async throws {
    let first = try Service()
    for id in [1, 4] {
      let answer = await first.send(.put, "/collections/c/items/\(id)", InstanceTests.feature(0))
      #expect(answer.status == 201)
    }
    let second = try stale(sharing: first)
    #expect(
      await first.send(.put, "/collections/c/items/2", InstanceTests.feature(1)).status == 201)
    #expect(await first.send(.delete, "/collections/c/items/4").status == 204)
    #expect(
      await first.send(.put, "/collections/c/items/1", InstanceTests.feature(1)).status == 200)
    let got = await first.get("/collections/c/items/1").response
    let tag = try #require(
      got.prepared(for: HTTPRequest(path: "/collections/c/items/1")).header("ETag"))
    let patch = #"{"properties":{"n":2}}"#
    // Those that it would refuse by what it shows, and those that it would carry out.
    let all = [
      StaleWrite(.patch, 2, patch, 200),
      StaleWrite(.put, 1, InstanceTests.feature(2), 200, [("If-Match", tag)]),
      StaleWrite(.put, 9, InstanceTests.feature(2), 201), StaleWrite(.delete, 4, nil, 404),
      StaleWrite(.put, 2, InstanceTests.feature(3), 412, [("If-None-Match", "*")]),
    ]
    let writes = all.prefix(count)
    let before = second.writer.counts.commits
    let statuses = Locked([Int?](repeating: nil, count: writes.count))
    second.writer.queue.suspend()
    for (number, write) in writes.enumerated() {
      second.begin(
        write.method, "/collections/c/items/\(write.id)", write.body, headers: write.headers
      ) { answer in
        statuses.withLock { $0[number] = answer.status }
      }
    }
    second.writer.queue.resume()
    let deadline = MonotonicTime.now + 20_000_000_000
    while statuses.value.contains(nil), MonotonicTime.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(statuses.value == writes.map { $0.status })
    #expect(second.writer.counts.commits == before + 1)
    for id in count > 1 ? [1, 2] : [2] {
      #expect(await second.get("/collections/c/items/\(id)").text.contains("\"n\":2"))
    }
  }

  @Test("a write goes to the database and back once, unless it is long") func once() async throws {
    let first = try Service()
    let made = await first.send(.put, "/collections/c/items/0", InstanceTests.feature(0))
    #expect(made.status == 201)
    let relay = try PostgresRelay(to: Service.postgres ?? "")
    let second = try stale(sharing: first, through: relay)
    func counts(pad: Int) async -> [Int] {
      let body = InstanceTests.feature(0, pad: pad)
      var counts: [Int] = []
      for _ in 0..<5 {
        let before = relay.batches
        await second.store(geoJSON: (0..<8).map { _ in body })
        counts.append(relay.batches - before)
      }
      return counts
    }
    // What is done besides now and then takes some, too.
    let short = await counts(pad: 0)
    #expect(short.min() == 1, "\(short)")
    let long = await counts(pad: 400_000)
    #expect(long.min() == 2, "\(long)")
  }

  @Test(
    "an instance without memory for what others have written says so, and goes on with the rest")
  func withoutMemory() async throws {
    let first = try Service()
    let second = try Service(sharing: first)
    func put(_ number: Int, in collection: String, at service: Service) async -> Answer {
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":\#(number)}}"#
      return await service.send(.put, "/collections/\(collection)/items/1", feature)
    }
    func comes(_ target: String, _ isThere: (Answer) -> Bool) async throws {
      let deadline = MonotonicTime.now + 60_000_000_000
      while MonotonicTime.now < deadline {
        if isThere(await second.get(target)) { return }
        try await Task.sleep(for: .milliseconds(10))
      }
      Issue.record("\(target) never comes")
    }
    for collection in ["c", "d"] { #expect(await put(1, in: collection, at: first).status == 201) }
    try await comes("/collections/c/items/1") { $0.status == 200 }
    let isFull = Locked(true)
    second.writer.queue.sync {
      guard let shared = second.writer.shared else { return }
      let show = shared.onChange
      shared.onChange = { change in
        if change.id == "c", case .changed = change, isFull.value { throw RecordArena.Full() }
        try show(change)
      }
    }
    #expect(await put(2, in: "c", at: first).status == 200)
    #expect(await put(2, in: "d", at: first).status == 200)
    try await comes("/health/ready") { $0.status == 503 && $0.text.contains("collection c") }
    try await comes("/collections/d/items/1") { $0.text.contains("\"n\":2") }
    // It answers as before, and takes what it can.
    #expect(await second.get("/collections/c/items/1").text.contains("\"n\":1"))
    let refused = await put(3, in: "c", at: second)
    refused.expectProblem(503)
    #expect(refused.response.header("Retry-After") != nil)
    #expect(await put(3, in: "d", at: second).status == 200)
    #expect(second.events.value.contains { if case .behind("c") = $0 { true } else { false } })
    isFull.withLock { $0 = false }
    try await comes("/collections/c/items/1") { $0.text.contains("\"n\":2") }
    try await comes("/health/ready") { $0.status == 200 }
    #expect(await put(4, in: "c", at: second).status == 200)
  }
}
