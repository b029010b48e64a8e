import AccessControl
import ClusterCore
import Dispatch
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// Several tenants of one collection, each of whom sees and writes the features that pass a filter.
@Suite(.timeLimit(.minutes(10))) struct TenantTests {
  private static let keys = """
    admin:root
    {"scope":"write","key":"key-a","filter":"t = 'a'","collections":["c","d","x*"]}
    {"scope":"write","key":"key-b","filter":{"op":"=","args":[{"property":"t"},"b"]}}
    {"scope":"read","key":"eye-a","filter":"t='a'"}
    """

  private static func bearer(_ key: String) -> [(name: String, value: String)] {
    [("Authorization", "Bearer \(key)")]
  }

  /// One collection with two tenants, and what each of them would have alone.
  private struct World {
    let shared: Service
    let alone: [String: Service]

    init() throws {
      shared = try Service(keys: TenantTests.keys)
      alone = ["a": try Service(), "b": try Service()]
    }

    /// Sends a write of a tenant to both, and compares the answers.
    func write(
      by tenant: String, _ method: HTTPMethod, _ target: String, _ body: String? = nil,
      headers: [(name: String, value: String)] = []
    ) async {
      let answer = await shared.send(
        method, target, body, headers: headers + TenantTests.bearer("key-\(tenant)"))
      guard let twin = alone[tenant] else { return }
      let expected = await twin.send(method, target, body, headers: headers)
      let text = "\(tenant) \(method) \(target) \(body ?? "") \(headers)"
      #expect(answer.status == expected.status, "\(text): \(answer.text), \(expected.text)")
      #expect(TenantTests.plain(answer) == TenantTests.plain(expected), "\(text)")
    }

    /// Sends a write of the whole to all.
    func writeAll(_ method: HTTPMethod, _ target: String, _ body: String? = nil) async {
      _ = await shared.send(method, target, body, headers: TenantTests.bearer("root"))
      for twin in alone.values { _ = await twin.send(method, target, body) }
    }
  }

  /// An answer without what counts versions.
  private static func plain(_ answer: Answer) -> String {
    answer.text.leavingOutNumbers(after: ["\"version\":", "v="])
  }

  /// What tells everything that there is to see.
  private static let sights = [
    "/collections/c", "/collections", "/collections/c/items?limit=1000",
    "/collections/c/items?sortby=-k,name&limit=7&offset=3", "/collections/c/queryables",
    "/collections/c/schema", "/collections/c/clusters?bbox=-180,-85,180,85&zoom=1",
    "/collections/c/clusters?bbox=-180,-85,180,85&zoom=1&countBy=t&groupBy=k",
    "/collections/c/clusters?bbox=-180,-85,180,85&zoom=2&hull=true&expansion=true",
    "/collections/c/clusters?bbox=-180,-85,180,85&zoom=1&method=distance",
    "/collections/c/clusters?bbox=-180,-85,180,85&zoom=1&filter=k%3E1",
    "/collections/c/clusters?bbox=-180,-85,180,85&zoom=1&filter=only_a%3Donly_b&titleProperty=only_b",
    "/collections/c/items?limit=0&filter=only_a%3E0%20OR%20only_b%3E0",
    "/collections/c/pins?bbox=-180,-85,180,85&zoom=5", "/collections/c/tiles.json",
    "/collections/c/tiles/0/0/0", "/collections/c/tiles/1/1/0.geojson?countBy=t",
    "/collections/c/items/a1", "/collections/c/items/b1", "/collections/d/items", "/api",
    "/?f=html",
  ]

  private func feature(
    _ id: String?, _ tenant: String, using generator: inout SeededGenerator
  ) -> String {
    let name = id.map { "\"id\":\"\($0)\"," } ?? ""
    let (x, y) = (generator.int(-5...5) * 30, generator.int(-3...3) * 25)
    let properties =
      "{\"t\":\"\(tenant)\",\"k\":\(generator.int(0...3)),\"w\":\(generator.int(1...9)),"
      + "\"name\":\"\(tenant)\(generator.int(0...4))\",\"only_\(tenant)\":1}"
    return
      "{\"type\":\"Feature\",\(name)\"geometry\":{\"type\":\"Point\",\"coordinates\":[\(x),\(y)]},"
      + "\"properties\":\(properties)}"
  }

  /// A write of a tenant, of ids that the other one never has.
  private func write(
    _ world: World, by tenant: String, using generator: inout SeededGenerator
  ) async {
    let id = "\(tenant)\(generator.int(1...12))"
    let item = "/collections/c/items/\(id)"
    let conditions: [[(name: String, value: String)]] = [
      [], [], [], [("If-Match", "*")], [("If-None-Match", "*")], [("If-Match", "\"x\"")],
    ]
    let headers = generator.pick(conditions)
    switch generator.int(0...9) {
    case 0...2:
      let body = feature(nil, tenant, using: &generator)
      await world.write(by: tenant, .put, item, body, headers: headers)
    case 3...5:
      let features = (0..<generator.int(1...6)).map { _ in
        feature("\(tenant)\(generator.int(1...12))", tenant, using: &generator)
      }
      let body =
        "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
      await world.write(by: tenant, .post, "/collections/c/items", body)
    case 6:
      let body = "{\"properties\":{\"k\":\(generator.int(0...3))}}"
      await world.write(by: tenant, .patch, item, body, headers: headers)
    case 7: await world.write(by: tenant, .delete, item, headers: headers)
    case 8:
      let filter = "k%3D\(generator.int(0...3))"
      await world.write(by: tenant, .delete, "/collections/c/items?filter=\(filter)")
    default:
      let west = generator.int(-180...150)
      await world.write(
        by: tenant, .delete, "/collections/c/items?bbox=\(west),-90,\(west + 20),90")
    }
  }

  /// The tags of all sights of a tenant, and of what they see alone.
  private func tags(_ world: World, _ tenant: String) async -> [[String?]] {
    var tags: [[String?]] = [[], []]
    for sight in Self.sights where sight.hasPrefix("/collections/c") {
      let answer = await world.shared.get(sight, headers: Self.bearer("key-\(tenant)"))
      tags[0].append(answer.response.etag ?? EntityTag.hash(of: answer.response.body))
      let twin = await world.alone[tenant]?.get(sight)
      tags[1].append(twin.map { $0.response.etag ?? EntityTag.hash(of: $0.response.body) })
    }
    return tags
  }

  @Test(arguments: Seeds.each(1...3))
  func `each tenant sees what it would see alone`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let world = try World()
    await world.writeAll(.put, "/collections/c", #"{"title":"shared"}"#)
    // Tags of each tenant, kept from step to step, as reads change none.
    var last: [String: [[String?]]] = [:]
    for step in 0..<160 {
      let tenant = generator.pick(["a", "b"])
      let other = tenant == "a" ? "b" : "a"
      if step == 60 {
        await world.writeAll(.put, "/collections/c", #"{"title":"renamed"}"#)
        last = [:]
      } else if step == 90 {
        await world.writeAll(.delete, "/collections/c")
        await world.writeAll(.put, "/collections/c", #"{"title":"again"}"#)
        last = [:]
      } else {
        var before: [[[String?]]] = []
        for name in [tenant, other] {
          if let kept = last[name] {
            before.append(kept)
          } else {
            before.append(await tags(world, name))
          }
        }
        await write(world, by: tenant, using: &generator)
        let after = [await tags(world, tenant), await tags(world, other)]
        (last[tenant], last[other]) = (after[0], after[1])
        // No tag of the other tenant tells of the write, and those of this one do where they would alone.
        #expect(after[1][0] == before[1][0], "seed \(seed), step \(step)")
        for index in after[0][0].indices {
          let hasChanged = after[0][0][index] != before[0][0][index]
          let wouldChange = after[0][1][index] != before[0][1][index]
          #expect(hasChanged == wouldChange, "seed \(seed), step \(step), \(Self.sights[index])")
        }
      }
      for tenant in ["a", "b"] {
        guard let twin = world.alone[tenant] else { continue }
        if step % 8 == 0 {
          for sight in Self.sights {
            let answer = await world.shared.get(sight, headers: Self.bearer("key-\(tenant)"))
            let expected = await twin.get(sight)
            #expect(answer.status == expected.status, "\(tenant) \(sight)")
            #expect(Self.plain(answer) == Self.plain(expected), "\(tenant) \(sight), \(step)")
          }
        }
        let view = RandomView(using: &generator)
        let answer = await view.answer(of: world.shared, key: "key-\(tenant)")
        let expected = await view.answer(of: twin)
        #expect(Self.plain(answer) == Self.plain(expected), "\(tenant) \(view.text), \(step)")
      }
    }
  }

  @Test func `nobody writes what they don't see`() async throws {
    let service = try Service(keys: Self.keys)
    var generator = SeededGenerator(seed: 4)
    let (a, b) = (Self.bearer("key-a"), Self.bearer("key-b"))
    let root = Self.bearer("root")
    let item = "/collections/c/items/x"
    func isB() async -> Bool {
      await service.get(item, headers: root)["properties"]?["t"]?.string == "b"
    }
    let (ofA, ofB) = (feature("x", "a", using: &generator), feature("x", "b", using: &generator))
    #expect(await service.send(.put, item, ofB, headers: b).status == 201)
    // One that is new and isn't theirs, and one of theirs over one that is somebody else's, are refused alike.
    let foreign = await service.send(
      .put, "/collections/c/items/y", ofB.replacing("\"x\"", with: "\"y\""), headers: a)
    let taken = await service.send(.put, item, ofA, headers: a)
    foreign.expectProblem(403)
    #expect(foreign.text == taken.text)
    for condition in ["If-Match", "If-None-Match"] {
      let fields = a + [(name: condition, value: "*")]
      let status = condition == "If-Match" ? 412 : 403
      await service.send(.put, item, ofA, headers: fields).expectProblem(status)
    }
    await service.send(.patch, item, #"{"properties":{"k":9}}"#, headers: a).expectProblem(404)
    await service.send(.delete, item, headers: a).expectProblem(404)
    let several =
      "{\"type\":\"FeatureCollection\",\"features\":[\(feature("n", "a", using: &generator)),\(ofA)]}"
    await service.send(.post, "/collections/c/items", several, headers: a)
      .expectProblem(403, at: "/features/1")
    let skipped = await service.send(
      .post, "/collections/c/items?onError=skip", several, headers: a)
    #expect(skipped["inserted"]?.int == 1)
    #expect(skipped["rejected"]?.int == 1)
    #expect(skipped["ids"]?.text == "[\"n\"]")
    let all = await service.send(.delete, "/collections/c/items?filter=k%3E-1", headers: a)
    #expect(all["deleted"]?.int == 1)
    // What leaves its writer's sight is refused, too.
    #expect(
      await service.send(
        .post, "/collections/c/items", feature("n", "a", using: &generator), headers: a
      ).status == 201)
    await service.send(.patch, "/collections/c/items/n", #"{"properties":{"t":"b"}}"#, headers: a)
      .expectProblem(403)
    for method in [HTTPMethod.put, .delete] {
      await service.send(method, "/collections/c", method == .put ? "{}" : nil, headers: a)
        .expectProblem(403)
    }
    #expect(await isB())
    // An id that the service gives tells nothing of how many there are.
    let unnamed = await service.send(
      .post, "/collections/c/items", feature(nil, "a", using: &generator), headers: a)
    #expect(unnamed["ids"]?.array?.first?.string?.count == 36)
    #expect(unnamed.status == 201)
    // Two holders of the same filter see the same, and one of them only reads.
    let eye = Self.bearer("eye-a")
    let seen = await service.get("/collections/c/items", headers: eye)
    #expect(seen.text == (await service.get("/collections/c/items", headers: a)).text)
    await service.send(.delete, "/collections/c/items/n", headers: eye).expectProblem(403)
  }

  @Test func `a version that comes again with other features is another to tenants`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let one = try #require(service.catalog["c"])
    await service.store([TwinFeature(2, 2, 3)])
    let two = try #require(service.catalog["c"])
    let view = FilteredView(.literal(true))
    #expect(
      try view.snapshot(of: CollectionSnapshot.Dated(snapshot: two, recent: nil)).index.count
        == two.index.count)
    // As where a database has taken over that lacked the last change.
    let again = CollectionSnapshot(info: two.info, collection: one.collection, after: two)
    service.catalog.publish(again, invalidated: nil)
    #expect(view.plan(for: again) != .remembered)
    #expect(
      try view.snapshot(of: CollectionSnapshot.Dated(snapshot: again, recent: nil)).index.count
        == one.index.count)
    // Whoever has taken the one before still sees what is shown now.
    #expect(
      try view.snapshot(of: CollectionSnapshot.Dated(snapshot: two, recent: nil)).index.count
        == one.index.count)
  }

  @Test func `a view that is much work isn't made where time is limited`() async throws {
    let service = try Service()
    await service.store([TwinFeature(1, 2, 3)])
    let whole = CollectionSnapshot.Dated(
      snapshot: try #require(service.catalog["c"]), recent: nil)
    let view = FilteredView(.literal(true))
    func count() throws -> Int? {
      try Cancellation.run(atMost: 1_000_000_000) { try view.snapshot(of: whole).index.count }
    }
    #expect(try count() == nil && !view.isMade)
    #expect(try view.snapshot(of: whole).index.count == 1)
    #expect(try count() == 1)
  }

  @Test func `a plan and a write that waits leave out no features that have expired`() async throws
  {
    let clock = Locked<Int64>(1_700_000_000_000)
    let service = try Service(keys: Self.keys, clock: { clock.value })
    let body = TwinFeature(1, 2, 3).geoJSON.dropLast() + #","expires":"2023-11-14T22:13:21Z"}"#
    #expect(
      await service.send(
        .put, "/collections/c/items/1", String(body), type: "application/geo+json",
        headers: Self.bearer("root")
      ).status == 201)
    let before = try #require(service.catalog.version(of: "c")?.number)
    let principal = Principal(grant: Grant(.write, filter: .literal(true)))
    let view = CatalogView(
      service.catalog, principal, Tenants(service.catalog), service.access)
    // The writer, which leaves them out as well, is held up.
    let (isHeld, mayGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    service.writer.queue.async {
      isHeld.signal()
      mayGo.wait()
    }
    isHeld.wait()
    clock.withLock { $0 += 5000 }
    #expect(view.plan(for: "c") == .selectedFromAll)
    let share = try #require(service.writer.memory.share(of: 0, for: 0))
    let write = Write(by: CatalogView(service.catalog), in: "c", .drop)
    #expect(service.writer.enqueue(write, share) { _ in })
    #expect(service.catalog.version(of: "c")?.number == before)
    mayGo.signal()
  }

  @Test func `a tenant who watches is not forgotten`() throws {
    let service = try Service(keys: Self.keys)
    let tenants = Tenants(service.catalog)
    func view(_ number: Int) -> CatalogView {
      let filter = FilterExpression.comparison(
        .property(Array("t".utf8)), .equal, .number(Double(number)))
      return CatalogView(
        service.catalog, Principal(grant: Grant(.read, filter: filter)), tenants, service.access)
    }
    let views = (0..<Tenants.most).map(view)
    views[0].refresh("c")
    // For one more, the one that wasn't here for longest goes.
    _ = view(Tenants.most)
    #expect(tenants.figures.tenants == Tenants.most)
    #expect(view(0).tenantID == views[0].tenantID)
    #expect(view(1).tenantID != views[1].tenantID)
  }

  @Test func `collections that a key isn't for are not there for it`() async throws {
    let service = try Service(
      keys: Self.keys + "\n{\"scope\":\"admin\",\"key\":\"some\",\"collections\":[\"x*\"]}")
    var generator = SeededGenerator(seed: 5)
    for name in ["c", "d", "x1"] {
      let body = feature("1", "a", using: &generator)
      #expect(
        await service.send(.post, "/collections/\(name)/items", body, headers: Self.bearer("root"))
          .status == 201)
    }
    func ids(_ key: String) async -> [String] {
      let answer = await service.get("/collections", headers: Self.bearer(key))
      return (answer["collections"]?.array ?? []).compactMap { $0["id"]?.string }
    }
    #expect(await ids("root") == ["c", "d", "x1"])
    #expect(await ids("some") == ["x1"])
    #expect(await ids("key-a") == ["c", "d", "x1"])
    #expect(await ids("key-b") == ["c", "d", "x1"])
    // Whether it exists makes no difference.
    let there = await service.get("/collections/d", headers: Self.bearer("some"))
    there.expectProblem(403)
    #expect(there.text == (await service.get("/collections/e", headers: Self.bearer("some"))).text)
    for key in ["some", "key-a"] {
      await service.get("/metrics", headers: Self.bearer(key)).expectProblem(403)
    }
    #expect(await service.get("/metrics", headers: Self.bearer("root")).status == 200)
    #expect(
      await service.send(.delete, "/collections/x1", headers: Self.bearer("some")).status == 204)
    #expect(await ids("root") == ["c", "d"])
  }
}
