import Dispatch
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections
@testable import ClusterCore
@testable import FeatureStore

/// What tenants are told by services that share a database.
@Suite(
  .enabled(if: Service.postgres != nil, "PINCLUSTER_TEST_POSTGRES names no database"),
  .timeLimit(.minutes(10)))
struct InstanceTenantTests {
  @Test("a tenant's versions mean the same on all instances") func tenants() async throws {
    let services = try Instances()
    let (target, ofA) = ("/collections/c/items/a1", Instances.bearer("key-a"))
    _ = try await services.put("b1", of: "b", 0, by: "root")
    try await services.settle()
    for round in 1...3 {
      for service in [services.patient, services.hasty] { service.writer.queue.suspend() }
      let version = try await services.put("a1", of: "a", round, by: "key-a")
      // An instance may see the tenant for the first time when the version was made by another, and yet is behind.
      let early = await services.hasty.send(.get, "\(target)?minVersion=\(version)", headers: ofA)
      #expect(early.status == 503, "\(early.text)")
      services.hasty.writer.queue.resume()
      let late = try await Instances.answer(
        of: services.patient, "\(target)?minVersion=\(version)", headers: ofA
      ) { services.patient.writer.queue.resume() }
      #expect(late.status == 200 && late.text.contains("\"n\":\(round)"), "\(late.text)")
      try await services.settle()
    }
    // Others' writes make versions that one instance reads at once with the tenant's, and another one doesn't.
    let (own, others) = try await services.holding {
      let own = try await services.put("a1", of: "a", 4, by: "key-a")
      var others: [Int64] = []
      for number in 1...3 {
        _ = try await services.put("b1", of: "b", number, by: "key-b")
        others.append(services.first.catalog["c"]?.info.time ?? 0)
      }
      return (own, others)
    }
    let shown = try await services.answer(
      of: services.hasty, "/collections/c/items/a1", by: "key-a", with: "\"n\":4")
    #expect(shown.status == 200)
    let version = try #require(
      await services.hasty.get("/collections/c", headers: ofA)["version"]?.int)
    #expect(version >= own && !others.contains(Int64(version)), "\(version), \(own), \(others)")
    let there = await services.first.get("/collections/c?minVersion=\(version)", headers: ofA)
    let raised = there["version"]?.int ?? 0
    #expect(there.status == 200 && raised >= version, "\(there.text)")
    // The other tenant's next write is no news.
    _ = try await services.put("b1", of: "b", 5, by: "key-b")
    let again = await services.first.get("/collections/c", headers: ofA)
    #expect(again["version"]?.int == raised)
  }

  @Test("what comes and goes while an instance doesn't look is at no version of it")
  func hidden() async throws {
    let services = try Instances()
    let ofA = Instances.bearer("key-a")
    @Sendable func put(_ id: String, _ longitude: Int) async throws -> Int {
      let feature =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),2]},"properties":{"t":"a"}}"#
      let answer = await services.first.send(
        .put, "/collections/c/items/\(id)", feature, headers: ofA)
      return try #require(answer.response.header("Pincluster-Version").flatMap { Int($0) })
    }
    let view = "/collections/c/clusters?bbox=0,0,9,9&zoom=4"
    // An instance may read all changes at once, or each, while nobody looks at the tenant's features.
    for (key, isHeld) in [("key-a", true), ("key-a", false), ("root", true)] {
      let headers = Instances.bearer(key)
      _ = try await put("first", 1)
      try await services.settle()
      for service in [services.first, services.hasty] {
        #expect(await service.get(view, headers: headers)["featureCount"]?.int == 1)
      }
      @Sendable func change() async throws -> (Int, Int, Int) {
        let early = try await put("early", 2)
        _ = try await put("gone", 3)
        _ = try await put("early", 4)
        let shown = await services.first.get("/collections/c", headers: headers)
        let middle = try #require(shown["version"]?.int)
        let gone = await services.first.send(.delete, "/collections/c/items/gone", headers: headers)
        return (early, middle, gone.response.header("Pincluster-Version").flatMap { Int($0) } ?? 0)
      }
      let (early, middle, last) =
        isHeld ? try await services.holding(change) : try await change()
      if !isHeld { try await services.settle() }
      #expect(early > 0 && last > middle)
      // Whatever the other one answers of what has changed, it is at no version before the last.
      let deadline = MonotonicTime.now + 20_000_000_000
      var version = 0
      while MonotonicTime.now < deadline, version < last {
        let shown = await services.hasty.get(view, headers: headers)
        version = shown["version"]?.int ?? 0
        #expect(shown["featureCount"]?.int == (version < last ? 1 : 2), "\(shown.text)")
        #expect(isHeld || version == last)
        try await Task.sleep(for: .milliseconds(5))
      }
      let asked = await services.hasty.get("\(view)&minVersion=\(middle)", headers: headers)
      #expect(asked["featureCount"]?.int == 2 && asked["version"]?.int ?? 0 >= last)
      // A client that shows what is gone is told: by a whole view where the instance hasn't shown what the client shows, which it
      // may have where watchers have kept it up to date.
      let stream = await services.hasty.send(
        .get, view.replacing("clusters", with: "changes"),
        headers: headers + [("Last-Event-ID", "\(middle)")])
      let event = isHeld ? "event: view" : "event: "
      #expect(
        stream.text.contains(event) && stream.text.contains("\"featureCount\":2"), "\(stream.text)")
      _ = await services.first.send(.delete, "/collections/c/items?ids=early", headers: headers)
      try await services.settle()
    }
  }

  /// The version, the tag and the id of the first event that a tenant gets of a service.
  private func sight(of service: Service, _ key: String = "key-a") async throws -> [String] {
    let headers = Instances.bearer(key)
    let answers = [
      await service.get("/collections/c", headers: headers),
      await service.get("/collections/c/items", headers: headers),
      await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=4", headers: headers),
    ]
    let list = await service.get("/collections", headers: headers)
    let versions = (list["collections"]?.array ?? []).map {
      $0["version"]?.int.map(String.init) ?? ""
    }
    return versions + answers.map { $0["version"]?.int.map(String.init) ?? "" }
      + answers.map { $0.response.etag ?? "" }
  }

  @Test("a tenant isn't told when others have written, at a first look or later")
  func silence() async throws {
    let services = try Instances()
    let own = try await services.put("a1", of: "a", 1, by: "key-a")
    var others: Set<Int64> = []
    func othersWrite() async throws {
      _ = try await services.put("b1", of: "b", .random(in: 0...1_000_000), by: "key-b")
      others.insert(services.first.catalog["c"]?.info.time ?? 0)
    }
    try await services.settle()
    // Beyond a full second.
    for _ in 0..<30 {
      try await othersWrite()
      try await Task.sleep(for: .milliseconds(40))
    }
    try await services.settle()
    let known = try await sight(of: services.first)
    #expect(known.first == "\(own)", "\(known)")
    for round in 0..<3 {
      // As after a restart.
      let late = try Service(sharing: services.first, keys: Instances.keys, maxWait: 60)
      try await othersWrite()
      let sights = [try await sight(of: late), try await sight(of: services.hasty)]
      for sight in sights {
        let version = try #require(sight.first.flatMap { Int($0) })
        #expect(!others.contains(Int64(version)))
        #expect(version >= own, "round \(round): \(version)")
      }
      for _ in 0..<3 { try await othersWrite() }
      try await services.settle()
      #expect(try await sight(of: late) == sights[0])
      #expect(try await sight(of: services.hasty) == sights[1])
      #expect(try await sight(of: services.first) == known)
      // What was told by one instance is known to the others as soon as the second is over there.
      let version = try #require(sights[0].first)
      let there = await services.patient.get(
        "/collections/c?minVersion=\(version)", headers: Instances.bearer("key-a"))
      #expect(
        there.status == 200 && Int(version) ?? 0 <= there["version"]?.int ?? 0, "\(there.text)")
    }
  }

  @Test("whether others have written decides about no version that a tenant asks for")
  func silentWaits() async throws {
    let services = try Instances()
    _ = try await services.put("a1", of: "a", 1, by: "key-a")
    try await services.settle()
    let ofA = Instances.bearer("key-a")
    /// Asks for a version that is none of the tenant's, and returns how late the answer was: nil if it was none.
    func isAnswered(_ service: Service, isBusy: Bool) async throws -> Bool {
      // The third tenth of a second, in which no time is settled for a while.
      var now = SystemTime.now
      while now % 1_000_000 < 100_000 || now % 1_000_000 > 200_000 {
        try await Task.sleep(for: .milliseconds(20))
        now = SystemTime.now
      }
      let answer = Locked<Answer?>(nil)
      service.begin(.get, "/collections/c?minVersion=\(now)", headers: ofA) { got in
        answer.withLock { $0 = got }
      }
      for number in 0..<8 where isBusy {
        _ = try await services.put("b1", of: "b", number, by: "key-b")
      }
      let version = services.first.catalog["c"]?.info.version
      while service.catalog["c"]?.info.version != version {
        try await Task.sleep(for: .milliseconds(2))
      }
      try await Task.sleep(for: .milliseconds(50))
      let isThere = answer.value != nil
      let isLate = SystemTime.now / 1_000_000 > now / 1_000_000
      while answer.value == nil { try await Task.sleep(for: .milliseconds(10)) }
      #expect(answer.value?.status == 200)
      return isThere && !isLate
    }
    for isBusy in [false, true, true, false, true] {
      #expect(try await !isAnswered(services.first, isBusy: isBusy))
      #expect(try await !isAnswered(services.patient, isBusy: isBusy))
    }
  }
}
