import Dispatch
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import FeatureStore

/// Services that share a database, some of which are behind the others.
@Suite(
  .enabled(if: Service.postgres != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(5)))
struct InstanceTests {
  private static let keys = """
    admin:root
    {"scope":"write","key":"key-a","filter":"t = 'a'"}
    {"scope":"write","key":"key-b","filter":"t = 'b'"}
    """

  private static func bearer(_ key: String) -> [(name: String, value: String)] {
    [("Authorization", "Bearer \(key)")]
  }

  /// Three services: one that writes, one whose reads wait for long, and one whose reads hardly wait.
  private struct Services {
    let first, patient, hasty: Service

    init() throws {
      first = try Service(keys: InstanceTests.keys)
      patient = try Service(sharing: first, keys: InstanceTests.keys, maxWait: 60)
      hasty = try Service(sharing: first, keys: InstanceTests.keys, maxWait: 0.3)
    }

    /// Keeps the others from following the first one during `body`.
    func holding<R>(_ body: () async throws -> R) async throws -> R {
      for service in [patient, hasty] { service.writer.queue.suspend() }
      defer { for service in [patient, hasty] { service.writer.queue.resume() } }
      return try await body()
    }

    /// Stores a feature at the first service, and returns the version.
    func put(_ id: String, of tenant: String, _ number: Int, by key: String) async throws -> Int {
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"#
        + #""properties":{"t":"\#(tenant)","n":\#(number)}}"#
      let answer = await first.send(
        .put, "/collections/c/items/\(id)", feature, headers: InstanceTests.bearer(key))
      return try #require(
        answer.response.header("Pincluster-Version").flatMap { Int($0) }, "\(answer.text)")
    }

    /// Waits until the others have come to what the first one shows.
    func settle() async throws {
      let version = first.catalog["c"]?.info.version
      let deadline = MonotonicTime.now + 20_000_000_000
      for service in [patient, hasty] {
        while service.catalog["c"]?.info.version != version, MonotonicTime.now < deadline {
          try await Task.sleep(for: .milliseconds(10))
        }
        #expect(service.catalog["c"]?.info.version == version)
      }
    }
  }

  /// Sends a request, and looks that it isn't answered before `release` has been called.
  private func answer(
    of service: Service, _ target: String, headers: [(name: String, value: String)],
    _ release: () -> Void
  ) async throws -> Answer {
    let answer = Locked<Answer?>(nil)
    service.begin(.get, target, headers: headers) { got in answer.withLock { $0 = got } }
    try await Task.sleep(for: .milliseconds(200))
    #expect(answer.withLock { $0?.text } == nil)
    release()
    let deadline = MonotonicTime.now + 30_000_000_000
    while answer.withLock({ $0 == nil }), MonotonicTime.now < deadline {
      try await Task.sleep(for: .milliseconds(5))
    }
    return try #require(answer.withLock { $0 })
  }

  @Test("a stream that goes on at an instance that is behind waits, and begins where it was")
  func resumed() async throws {
    let services = try Services()
    let (before, root) = (try await services.put("1", of: "a", 1, by: "root"), Self.bearer("root"))
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
    let late = try await answer(of: services.patient, target, headers: headers) {
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

  @Test("a tenant's versions mean the same on all instances") func tenants() async throws {
    let services = try Services()
    let (target, ofA) = ("/collections/c/items/a1", Self.bearer("key-a"))
    _ = try await services.put("b1", of: "b", 0, by: "root")
    try await services.settle()
    for round in 1...3 {
      for service in [services.patient, services.hasty] { service.writer.queue.suspend() }
      let version = try await services.put("a1", of: "a", round, by: "key-a")
      // An instance may see the tenant for the first time when the version was made by another, and yet is behind.
      let early = await services.hasty.send(.get, "\(target)?minVersion=\(version)", headers: ofA)
      #expect(early.status == 503, "\(early.text)")
      services.hasty.writer.queue.resume()
      let late = try await answer(
        of: services.patient, "\(target)?minVersion=\(version)", headers: ofA
      ) { services.patient.writer.queue.resume() }
      #expect(late.status == 200 && late.text.contains("\"n\":\(round)"), "\(late.text)")
      try await services.settle()
    }
    // Others' writes make versions that one instance reads at once with the tenant's, and another one doesn't.
    let own = try await services.holding {
      let own = try await services.put("a1", of: "a", 4, by: "key-a")
      for number in 1...3 { _ = try await services.put("b1", of: "b", number, by: "key-b") }
      return own
    }
    try await services.settle()
    let shown = await services.hasty.get("/collections/c", headers: ofA)
    let version = try #require(shown["version"]?.int)
    #expect(version > own)
    let there = await services.first.get("/collections/c?minVersion=\(version)", headers: ofA)
    #expect(there.status == 200 && there["version"]?.int == version, "\(there.text)")
    // The other tenant's next write is no news.
    _ = try await services.put("b1", of: "b", 5, by: "key-b")
    let again = await services.first.get("/collections/c", headers: ofA)
    #expect(again["version"]?.int == version)
  }
}
