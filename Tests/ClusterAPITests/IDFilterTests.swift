import ClusterCore
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// Ids: `id` in filters, and the field `ids`.
@Suite(.timeLimit(.minutes(10))) struct IDFilterTests {
  /// Features whose ids are integers, integers written as text, and texts.
  private static func features(_ count: Int, _ generator: inout SeededGenerator) -> [TwinFeature] {
    var features: [FeatureID: TwinFeature] = [:]
    for number in 0..<count {
      let id: FeatureID =
        switch generator.int(0...3) {
        case 0: FeatureID(known: "\(number)")
        case 1: FeatureID(known: generator.pick(["a", "b%", "é", "0"]) + "\(number % 40)x")
        default: FeatureID(known: number - 20)
        }
      features[id] = TwinFeature(
        id: id,
        coordinate: Coordinate(
          latitude: generator.double(-80...80), longitude: generator.double(-180...180)),
        properties: "{\"k\":\(generator.int(0...3))}")
    }
    return features.values.sorted { $0.id < $1.id }
  }

  /// A filter as it is sent, and what it means: where an id is to be equal to 17, "17" is the same.
  private struct Asked {
    var sent: TwinFilter
    var meant: TwinFilter

    init(_ sent: TwinFilter, _ meant: TwinFilter? = nil) {
      (self.sent, self.meant) = (sent, meant ?? sent)
    }
  }

  private static func both(_ literal: TestJSON) -> [TwinFilter.Operand] {
    let id = FeatureID(known: literal.string ?? literal.text)
    guard case .integer = id.key else { return [.literal(literal)] }
    return [.literal(.number(id.description)), .literal(.string(id.description))]
  }

  private static func random(
    _ features: [TwinFeature], depth: Int, isPositive: Bool, _ generator: inout SeededGenerator
  ) -> Asked {
    func literal() -> TestJSON {
      let id = generator.chance(0.9) ? generator.pick(features).id : FeatureID(known: 12345)
      let isInteger = if case .integer = id.key { true } else { false }
      return isInteger && generator.chance(0.6) ? .number(id.description) : .string(id.description)
    }
    func number() -> TwinFilter.Operand { .literal(.number("\(generator.int(-30...180))")) }
    let id = TwinFilter.Operand.property("id")
    let kind = depth > 0 ? generator.int(0...11) : generator.int(0...8)
    switch kind {
    case 0, 1:
      let one = literal()
      let sent = TwinFilter.compare(id, .equal, .literal(one))
      return Asked(sent, isPositive ? .among(id, both(one), isNegated: false) : nil)
    case 2:
      // The other way round.
      return Asked(.compare(.literal(literal()), generator.pick([.unequal, .less, .greater]), id))
    case 3:
      return Asked(
        .compare(id, generator.pick([.unequal, .lessOrEqual, .greaterOrEqual]), number()))
    case 4, 5:
      let list = (0..<generator.int(1...6)).map { _ in literal() }
      let isNegated = generator.chance(0.3)
      let sent = TwinFilter.among(id, list.map { .literal($0) }, isNegated: isNegated)
      return Asked(
        sent,
        isPositive != isNegated ? .among(id, list.flatMap(both), isNegated: isNegated) : nil)
    case 6: return Asked(.between(id, number(), number(), isNegated: generator.chance(0.3)))
    case 7:
      let pattern = generator.pick(["a%", "%x", "_1%", "%", "b\\%%", "17", "1%"])
      return Asked(.like(id, pattern, isNegated: generator.chance(0.3)))
    case 8: return Asked(.isNull("id", isNegated: generator.chance(0.5)))
    case 9:
      let inner = random(features, depth: depth - 1, isPositive: !isPositive, &generator)
      return Asked(.not(inner.sent), .not(inner.meant))
    default:
      var parts = (0..<2).map { _ in
        random(features, depth: depth - 1, isPositive: isPositive, &generator)
      }
      if generator.chance(0.4) {
        let relation = generator.pick(TwinFilter.Relation.allCases)
        parts.append(Asked(.compare(.property("k"), relation, number())))
      }
      return kind == 10
        ? Asked(.and(parts.map(\.sent)), .and(parts.map(\.meant)))
        : Asked(.or(parts.map(\.sent)), .or(parts.map(\.meant)))
    }
  }

  @Test(arguments: Seeds.each(601...603))
  func `id is the feature's id, as a scan has it`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let features = Self.features(150, &generator)
    let service = try await Service(features)
    let twin = Twin(features)
    var found = 0
    for _ in 0..<150 {
      let asked = Self.random(twin.features, depth: 2, isPositive: true, &generator)
      let text = asked.sent.text()
      let passing = twin.features.filter { feature in
        asked.meant.passes { $0 == "id" ? feature.idJSON : feature.property($0) }
      }
      let query = "filter=\(TwinRequest.percentEncoded(text))"
      let items = await service.get("/collections/c/items?limit=1000&\(query)")
      #expect(items.ids == passing.map(\.idJSON.text), "\(text)")
      let world = "bbox=-180,-90,180,90&\(query)"
      let view = await service.get("/collections/c/clusters?\(world)&zoom=2")
      #expect(view["featureCount"]?.int == passing.count, "\(text)")
      let grouped = await service.get("/collections/c/clusters?\(world)&zoom=2&groupBy=k&members=3")
      #expect(grouped["featureCount"]?.int == passing.count, "\(text)")
      let pins = await service.get("/collections/c/pins?\(world)")
      #expect(pins["featureCount"]?.int == passing.count, "\(text)")
      let tile = await service.get("/collections/c/tiles/0/0/0.geojson?\(query)&minPoints=1000")
      #expect((tile["features"]?.array ?? []).count == passing.count, "\(text)")
      found += passing.count
    }
    #expect(found > 1000)
  }

  @Test(arguments: Seeds.each(604...605))
  func `deletions by id delete these`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    var left = Twin(Self.features(120, &generator)).features
    let service = try await Service(left)
    while left.count > 20 {
      let asked = Self.random(left, depth: 1, isPositive: true, &generator)
      let gone = left.filter { feature in
        asked.meant.passes { $0 == "id" ? feature.idJSON : feature.property($0) }
      }
      guard gone.count < 40 else { continue }
      let query = "filter=\(TwinRequest.percentEncoded(asked.sent.text()))"
      let answer = await service.send(.delete, "/collections/c/items?\(query)")
      #expect(answer["deleted"]?.int == gone.count, "\(query)")
      let ids = Set(gone.map(\.id))
      left.removeAll { ids.contains($0.id) }
      let items = await service.get("/collections/c/items?limit=1000")
      #expect(items.ids == left.map(\.idJSON.text), "\(query)")
    }
  }

  @Test func `texts and JSON, parameters and cases`() async throws {
    let service = try await Service([
      TwinFeature(1, 1, 1), TwinFeature(2, 2, 2), TwinFeature(3, 3, 3),
      TwinFeature(id: FeatureID(known: "Abc"), coordinate: Coordinate(latitude: 4, longitude: 4)),
    ])
    func ids(_ query: String) async -> [String] {
      let answer = await service.get("/collections/c/items?\(query)")
      answer.expect(200)
      return answer.ids.sorted()
    }
    func json(_ text: String) -> String {
      "filter-lang=cql2-json&filter=\(TwinRequest.percentEncoded(text))"
    }
    #expect(await ids("filter=id=2") == ["2"])
    #expect(await ids("filter=id='2'") == ["2"])
    #expect(await ids("filter=id=2.5") == [])
    #expect(await ids("filter=%22id%22%20IN%20(3,1,'Abc')") == ["\"Abc\"", "1", "3"])
    #expect(await ids(json(#"{"op":"in","args":[{"property":"id"},[1,"Abc",9]]}"#)).count == 2)
    #expect(await ids(json(#"{"op":"<>","args":[{"property":"id"},2]}"#)) == ["1", "3"])
    #expect(await ids("filter=CASEI(id)=CASEI('aBC')") == ["\"Abc\""])
    #expect(await ids("filter=id%2B1=3") == ["2"])
    #expect(await ids("id=2") == ["2"])
    #expect(await ids("id=Abc") == ["\"Abc\""])
    #expect(await ids("id=Abc&ids=1,2") == [])
    #expect(await ids("ids=3,Abc,7,3,1") == ["\"Abc\"", "1", "3"])
    #expect(await ids("ids=3,1&filter=id<2") == ["1"])
    #expect(await ids("ids=3,1&bbox=2,2,9,9") == ["3"])
    let deleted = await service.send(.delete, "/collections/c/items?filter=id%20IN%20(1,2)")
    #expect(deleted.text == #"{"deleted":2}"#)
    #expect(await ids("") == ["\"Abc\"", "3"])
    let more = await service.send(.delete, "/collections/c/items?ids=3,4")
    #expect(more.text == #"{"deleted":1}"#)
    (await service.send(.delete, "/collections/c/items?id=Abc")).expectProblem(400, at: "id")
    #expect(await ids("") == ["\"Abc\""])
  }

  @Test(arguments: TwinDataset.allCases)
  func `with ids, all else is as if only these existed`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 611, count: 150))
    var generator = SeededGenerator(seed: 612)
    for round in 0..<6 {
      let only = pair.twin.features.filter { _ in generator.chance(0.3) }
      let alone = "only\(round)"
      #expect(await pair.service.send(.put, "/collections/\(alone)").status == 201)
      await pair.service.store(only, in: alone)
      var list = only.map(\.idJSON) + [.number("123456789"), .string("nobody")]
      list += list.prefix(2)
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      let method = generator.pick(TwinRequest.Method.allCases)
      if method != .grid { request.use(method, using: &generator) }
      let body = request.json
      let asked = TestJSON.object((body.members ?? []) + [.init("ids", .array(list))])
      for resource in ["clusters", "clusters?f=geojson", "pins"] {
        let answer = await pair.service.post("/collections/c/\(resource)", asked.text)
        let wanted = await pair.service.post("/collections/\(alone)/\(resource)", body.text)
        #expect(answer.status == wanted.status, "\(resource): \(asked.text)")
        guard wanted.status == 200 else { continue }
        #expect(
          answer.unversioned.text == wanted.unversioned.text, "\(resource): \(asked.text)")
      }
      let commas = only.filter { $0.id.description.utf8.contains(UInt8(ascii: ",")) }
      guard commas.isEmpty, !only.isEmpty else { continue }
      let ids = list.map { TwinRequest.percentEncoded($0.string ?? $0.text) }
        .joined(separator: ",")
      let tile = await pair.service.get("/collections/c/tiles/1/0/0.geojson?ids=\(ids)")
      let own = await pair.service.get("/collections/\(alone)/tiles/1/0/0.geojson")
      #expect(tile.unversioned.text == own.unversioned.text)
      let items = await pair.service.get("/collections/c/items?limit=1000&ids=\(ids)")
      #expect(items.ids == only.map(\.idJSON.text))
    }
  }

  @Test func `lists of ids have their bounds`() async throws {
    let service = try await Service((1...1200).map { TwinFeature($0, Double($0 % 90), 5) })
    func list(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ",") }
    let view = "bbox=-180,-85,180,85&zoom=1"
    for path in ["items?", "clusters?\(view)&", "pins?\(view)&limit=10000&", "tiles/0/0/0?"] {
      let target = "/collections/c/\(path)ids="
      (await service.get("\(target)\(list(1000))")).expect(200)
      let refused = await service.get("\(target)\(list(1001))")
      refused.expectProblem(422, at: "ids")
      #expect(refused.text.contains("1000"))
      let none = await service.get(target)
      #expect((none["featureCount"] ?? none["numberMatched"])?.int ?? 0 == 0 && none.status < 300)
      (await service.get("\(target)1,,2")).expectProblem(422, at: "ids")
      (await service.get("\(target)%01")).expectProblem(422, at: "ids")
    }
    let body = #"{"bbox":[-180,-85,180,85],"zoom":1,"ids":"#
    for (ids, status, field) in [
      ("5", 400, "/ids"), ("[1.5]", 400, "/ids/0"), ("[1,true]", 400, "/ids/1"),
      ("[\(list(1001))]", 422, "/ids"), ("[9007199254740992]", 422, "/ids/0"),
    ] as [(String, Int, String)] {
      (await service.post("/collections/c/clusters", "\(body)\(ids)}"))
        .expectProblem(status, at: field)
    }
    let none = await service.post("/collections/c/clusters", "\(body)[]}")
    #expect(none["featureCount"]?.int == 0)
    let all = await service.post("/collections/c/clusters", "\(body)null}")
    #expect(all["featureCount"]?.int == 1200)
    (await service.send(.delete, "/collections/c/items?ids=\(list(1001))"))
      .expectProblem(422, at: "ids")
    let deleted = await service.send(.delete, "/collections/c/items?ids=\(list(1000))")
    #expect(deleted["deleted"]?.int == 1000)
  }

  // MARK: Properties of that name

  @Test func `a property id is what a filter means, while there is one`() async throws {
    let service = try await Service((1...40).map { TwinFeature($0, Double($0) * 4, 20) })
    let filter = "filter=id%20IN%20(3,5)"
    let world = "bbox=-180,-85,180,85&zoom=3&\(filter)"
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let watched = try #require(
      WatchedViewport(
        try ViewportRequest(
          try Fields(query: world, allowed: ViewportField.names(.changes)), of: .changes)))
    var screen = EventScreen()
    func sights(_ name: String, _ wanted: [String]) async throws {
      // Twice, as what is in a cache must not stay.
      for _ in 0..<2 {
        let items = await service.get("/collections/c/items?\(filter)")
        #expect(items.ids == wanted, "\(name)")
        let view = await service.get("/collections/c/clusters?\(world)")
        #expect(view["featureCount"]?.int == wanted.count, "\(name)")
        let tile = await service.get("/collections/c/tiles/2/2/1?\(filter)&minPoints=1000")
        let points = tile.status == 204 ? 0 : try DecodedTile(tile.response.body).points.count
        #expect(points == wanted.count { Int($0).map { $0 <= 22 } == true }, "\(name)")
      }
      let snapshot = try #require(log.take())
      let isFirst = !watched.isKnown
      let update = try watched.update(
        to: snapshot, invalidated: isFirst ? nil : log.coordinates(after: watched.version),
        wantsView: isFirst)
      #expect(screen.read((isFirst ? update.view : update.changes) ?? []) == [], "\(name)")
      let fresh = await service.get("/collections/c/clusters?\(world)")
      #expect(screen.annotations == fresh.annotations.map(\.text).sorted(), "\(name)")
    }
    try await sights("ids", ["3", "5"])
    #expect(
      (await service.get("/collections/c/queryables"))["properties"]?["id"]?["x-ogc-role"] != nil)
    // Null is no value.
    await service.store([TwinFeature(50, -100, -20, #"{"id":null}"#)])
    try await sights("null", ["3", "5"])
    await service.store([TwinFeature(41, -100, -20, #"{"id":3}"#)])
    try await sights("a property", ["41"])
    let queryables = await service.get("/collections/c/queryables")
    #expect(queryables["properties"]?["id"]?["x-ogc-role"] == nil)
    #expect((await service.get("/collections/c/items?id=5")).ids == [])
    // The field is always about features.
    #expect((await service.get("/collections/c/items?ids=5,41")).ids.sorted() == ["41", "5"])
    await service.store([TwinFeature(41, -100, -20, #"{"id":7}"#)])
    try await sights("another value", [])
    #expect(await service.send(.delete, "/collections/c/items/41").status == 204)
    try await sights("no property again", ["3", "5"])
  }

  @Test func `a key's filter means properties, whatever others store`() async throws {
    let keys = """
      admin:root
      {"scope":"write","key":"key-a","filter":"id = 3"}
      {"scope":"write","key":"key-b","filter":"t = 'b'"}
      """
    let service = try Service(keys: keys)
    func key(_ name: String) -> [(name: String, value: String)] {
      [("Authorization", "Bearer \(name)")]
    }
    func ids(_ name: String, _ query: String = "") async -> [String] {
      (await service.get("/collections/c/items?\(query)", headers: key(name))).ids.sorted()
    }
    let features = [
      TwinFeature(1, 1, 1, #"{"t":"b"}"#), TwinFeature(2, 2, 2, #"{"t":"b"}"#),
      TwinFeature(3, 3, 3, #"{"t":"b"}"#), TwinFeature(4, 4, 4, #"{"t":"c"}"#),
    ]
    func store(_ features: [TwinFeature]) async {
      let body = features.map(\.geoJSON).joined(separator: ",")
      let answer = await service.send(
        .post, "/collections/c/items", #"{"type":"FeatureCollection","features":[\#(body)]}"#,
        type: "application/geo+json", headers: key("root"))
      #expect(answer.status == 200, "\(answer.text)")
    }
    await store(features)
    #expect(await ids("key-a") == [])
    #expect(await ids("key-b", "filter=id%20IN%20(3,4)") == ["3"])
    #expect(await ids("key-b", "ids=2,4") == ["2"])
    // What the other tenant doesn't see doesn't change what it asks.
    await store([TwinFeature(5, 5, 5, #"{"id":3}"#)])
    #expect(await ids("key-a") == ["5"])
    #expect(await ids("key-a", "filter=id=3") == ["5"])
    #expect(await ids("key-a", "filter=id=5") == [])
    #expect(await ids("key-b", "filter=id%20IN%20(3,4)") == ["3"])
    #expect(await ids("root", "filter=id%20IN%20(3,4)") == ["5"])
    for (name, query, count) in [
      ("key-b", "ids=4,5", 0), ("key-b", "filter=id%20IN%20(4,5)", 0), ("key-a", "ids=1,2", 0),
      ("key-b", "filter=id=2", 1),
    ] {
      let answer = await service.send(
        .delete, "/collections/c/items?\(query)", headers: key(name))
      #expect(answer["deleted"]?.int == count, "\(name) \(query): \(answer.text)")
    }
    #expect(await ids("root") == ["1", "3", "4", "5"])
  }
}
