import ClusterCore
import TestSupport
import Testing

/// The brute force itself, on examples worked out by hand: a twin that errs proves nothing.
@Suite(.timeLimit(.minutes(10))) struct TwinHandTests {
  private func truth(_ filter: TwinFilter, _ properties: String) throws -> Bool? {
    let object = try TestJSON(parsing: properties)
    return filter.truth { object[$0] }
  }

  @Test func `three values of truth`() throws {
    let one = TwinFilter.compare(.property("p"), .equal, .literal(1))
    let two = TwinFilter.compare(.property("q"), .equal, .literal(2))
    // p = 1, q = 2, NOT p = 1, both, either.
    for (properties, truths) in [
      ("{\"p\":1,\"q\":2}", [true, true, false, true, true]),
      ("{\"p\":1}", [true, nil, false, nil, true]),
      ("{\"p\":0}", [false, nil, true, false, nil]),
      ("{\"p\":\"1\",\"q\":null}", [nil, nil, nil, nil, nil]),
      ("{\"p\":[1],\"q\":2.0}", [nil, true, nil, nil, true]),
    ] as [(String, [Bool?])] {
      let filters = [one, two, .not(one), .and([one, two]), .or([one, two])]
      #expect(try filters.map { try truth($0, properties) } == truths, "\(properties)")
    }
    let list = TwinFilter.among(
      .property("p"), [.literal(1), .property("q"), .literal("a")], isNegated: true)
    #expect(try truth(list, "{\"p\":1}") == false && truth(list, "{\"p\":2}") == nil)
    let range = TwinFilter.between(
      .property("p"), .literal(1), .property("q"), isNegated: true)
    #expect(try truth(range, "{\"p\":0}") == true && truth(range, "{\"p\":1}") == nil)
    #expect(try truth(range, "{\"p\":1,\"q\":1}") == false)
    let null = TwinFilter.isNull("p", isNegated: false)
    #expect(try truth(null, "{\"p\":null}") == true && truth(null, "{\"p\":false}") == false)
  }

  @Test(arguments: [
    ("%", "", true), ("_", "", false), ("a%b", "ab", true), ("a%b", "acbcb", true),
    ("a%b", "acbc", false), ("%a%a%", "aa", true), ("%a%a%", "a", false), ("a\\%", "a%", true),
    ("a\\%", "ab", false), ("\\\\", "\\", true), ("__", "e\u{301}", true), ("_", "\u{1F5FE}", true),
    ("A", "a", false),
  ])
  func `patterns`(pattern: String, text: String, matches: Bool) throws {
    let filter = TwinFilter.like(.property("p"), pattern, isNegated: false)
    #expect(filter.truth { $0 == "p" ? .string(text) : nil } == matches)
  }

  @Test func `filters are written with the parentheses that they need`() throws {
    let (a, b) = (TwinFilter.isNull("a", isNegated: false), TwinFilter.isNull("b", isNegated: true))
    #expect(
      TwinFilter.and([.or([a, b]), a]).text() == "(a IS NULL OR b IS NOT NULL) AND a IS NULL")
    #expect(TwinFilter.or([.and([a, b]), a]).text() == "a IS NULL AND b IS NOT NULL OR a IS NULL")
    #expect(TwinFilter.not(.and([a, b])).text() == "NOT (a IS NULL AND b IS NOT NULL)")
    #expect(TwinFilter.and([.not(.not(a)), b]).text() == "NOT (NOT a IS NULL) AND b IS NOT NULL")
    let text = TwinFilter.compare(.property("is open"), .unequal, .literal("it's"))
    #expect(text.text() == "\"is open\"<>'it''s'")
  }

  @Test func `arcs begin after the widest gap`() throws {
    func arc(_ longitudes: [Double]) -> [Double] {
      TwinArc.shortest(over: longitudes).first.map { [$0.west, $0.east, $0.mean] } ?? []
    }
    #expect(arc([10, 30, 20]) == [10, 30, 20])
    #expect(arc([170, -170]) == [170, -170, -180])
    #expect(arc([160, -170, 170]) == [160, -170, 173.333_333_333_333_34])
    #expect(arc([180, 180]) == [-180, -180, -180])
    // As wide either way: not across.
    #expect(arc([-90, 90]) == [-90, 90, 0])
  }

  @Test func `an old one is taken by the one that shares most, near enough or in its cell`() throws
  {
    // Four cells of one world: two features in the north-west, one in the north-east.
    let features = [TwinFeature(1, -100, 40), TwinFeature(2, -80, 40), TwinFeature(3, 90, 40)]
    let twin = Twin(features)
    func answer(_ zoom: Double) throws -> TwinAnswer {
      var request = TwinRequest(.bbox(west: -180, south: -85, east: 180, north: 85), .zoom(zoom))
      request.cellSize = 256
      return try twin.cluster(request)
    }
    func json(_ ids: [String]) -> TestJSON {
      .object([.init("annotations", .array(ids.map { .object([.init("id", .string($0))]) }))])
    }
    var names = TwinNames()
    let (world, halves) = (try answer(0), try answer(1))
    #expect(names.learn(json(["all"]), world) == [])
    #expect(names.learn(json(["west", "east"]), halves) == [])
    #expect(halves.annotations.map(\.count) == [2, 1])
    #expect(names.learn(json(["west", "west"]), halves) != [])
    let coordinate = Coordinate(latitude: 50, longitude: -70)
    func taken(_ previous: [TwinPrevious]) -> [Int?] {
      TwinReuse(halves, ids: ["west", "east"], previous: previous, names: names, over: twin).taken
    }
    // The world stood in the west: the western half takes it and moves there.
    #expect(taken([.init("all", coordinate)]) == [0, nil])
    let moved = TwinReuse(
      halves, ids: ["west", "east"], previous: [.init("all", coordinate)], names: names, over: twin)
    #expect(moved.applied(to: halves).annotations.map(\.coordinate)[0] == coordinate)
    // In the east stands a pin, which takes nothing from afar, but what is at its own feature.
    #expect(taken([.init("all", Coordinate(latitude: 50, longitude: 70))]) == [nil, nil])
    #expect(taken([.init("all", features[2].coordinate)]) == [nil, 0])
    // Its own id it takes from anywhere, and before others.
    #expect(taken([.init("all", coordinate), .init("west", features[2].coordinate)]) == [1, nil])
    #expect(taken([.init("nothing", coordinate)]) == [nil, nil])
  }
}
