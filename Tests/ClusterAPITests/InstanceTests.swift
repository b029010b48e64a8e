import Dispatch
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
