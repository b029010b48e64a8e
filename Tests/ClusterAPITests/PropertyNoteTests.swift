import TestSupport
import Testing
import Texts

@testable import ClusterAPI

/// What answers say of properties that no feature has, or that hold no numbers.
@Suite(.timeLimit(.minutes(10))) struct PropertyNoteTests {
  private let path = "/collections/c"

  private func service() async throws -> Service {
    let service = try await Service([
      TwinFeature(
        1, 5, 5,
        #"{"name":"Berlin","country":"DE","pop":3,"mixed":"x","day":"2026-07-01","none":null}"#),
      TwinFeature(2, 6, 6, #"{"name":"Paris","country":"FR","pop":2,"mixed":4}"#),
      TwinFeature(3, 60, 60, #"{"name":"Oslo","country":"NO","open":true}"#),
    ])
    return service
  }

  /// The notes of an answer, in its head or in its header.
  private func notes(_ answer: Answer) -> [String] {
    let field = answer.response.header("Pincluster-Notes")?.split(separator: ", ").map {
      PercentCoding.decode(ArraySlice($0.utf8), plusIsSpace: false) ?? "?"
    }
    let members = answer["notes"]?.array?.map { $0.string ?? "?" }
    // Where both are, they are the same.
    if let field, let members { #expect(field == members) }
    return members ?? field ?? []
  }

  private static func encoded(_ text: String) -> String { TwinRequest.percentEncoded(text) }
  private static func absent(_ name: String) -> String { "No feature has a property \(name)." }
  private static let quotes = " Texts go in single quotes."
  private static func numberless(_ name: String) -> String {
    "The property \(name) holds no numbers, and text counts for nothing."
  }

  @Test(
    arguments: [
      ("country = DE", [absent("DE") + quotes]), ("name = \"Berlin\"", [absent("Berlin") + quotes]),
      ("population > 5", [absent("population")]), ("pop > 5", []), ("pop > 5 AND name = 'x'", []),
      ("country IN (DE, FR, 'NO')", [absent("DE") + quotes, absent("FR") + quotes]),
      ("CASEI(country) = CASEI(de)", [absent("de") + quotes]),
      ("pop + price > 2 * name", [absent("price")]), ("NOT (state IS NULL)", [absent("state")]),
      ("street LIKE 'A%' OR street = 'B'", [absent("street")]), ("none = 1", [absent("none")]),
      ("pop BETWEEN low AND 9", [absent("low") + quotes]), ("id = 1", []),
      ("id = nobody", [absent("nobody") + quotes]),
      ("T_AFTER(day, DATE('2026-01-01'))", []), ("T_AFTER(name, DATE('2026-01-01'))", []),
      ("T_AFTER(when, DATE('2026-01-01'))", [absent("when")]), ("open = true", []),
      ("S_INTERSECTS(geometry, POINT(5 5))", []),
      ("a = 1 AND a = b", [absent("a") + quotes, absent("b") + quotes]),
    ] as [(String, [String])])
  func `a filter that names what no feature has`(filter: String, wanted: [String]) async throws {
    let service = try await service()
    let query = "filter=\(Self.encoded(filter))"
    let view = "bbox=-180,-85,180,85&zoom=3&\(query)"
    let id =
      (await service.get("\(path)/clusters?bbox=-180,-85,180,85&zoom=0")).annotations.first?["id"]?
      .string ?? ""
    let targets = [
      "clusters?\(view)", "clusters?\(view)", "clusters?\(view)&f=geojson",
      "clusters?\(view)&groupBy=country",
      "clusters?\(view)&method=distance", "pins?\(view)", "items?\(query)",
      "items?limit=0&\(query)",
      "items?f=html&\(query)", "tiles/0/0/0?\(query)", "tiles/0/0/0?\(query)",
      "tiles/0/0/0.geojson?\(query)",
    ]
    for target in targets {
      let answer = await service.get("\(path)/\(target)")
      #expect([200, 204].contains(answer.status), "\(target): \(answer.text)")
      #expect(notes(answer) == wanted, "\(target)")
      let plain = await service.get("\(path)/\(target.replacing(query, with: ""))")
      #expect(notes(plain) == [])
    }
    for part in ["", "/items", "/children", "/hull"] {
      let answer = await service.get("\(path)/clusters/\(id)\(part)?\(query)")
      if answer.status == 404 { continue }
      #expect(answer.status == 200, "\(answer.text)")
      #expect(notes(answer) == wanted, "\(part)")
    }
    let body = TestJSON.object([
      .init("filter", .string(filter)), .init("bbox", .array([-180, -85, 180, 85])),
      .init("zoom", 3),
    ])
    #expect(notes(await service.post("\(path)/clusters", body.text)) == wanted)
    let deleted = await service.send(.delete, "\(path)/items?\(query)&bbox=100,0,101,1")
    #expect(deleted["deleted"]?.int == 0 && notes(deleted) == wanted)
  }

  @Test(
    arguments: [
      ("countBy=state", [absent("state")]), ("groupBy=state", [absent("state")]),
      ("titleProperty=label", [absent("label")]), ("titleProperty=name", []),
      ("titleProperty=none", [absent("none")]),
      ("weightBy=pop&countBy=country", []), ("weightBy=name", [numberless("name")]),
      ("weightBy=open", [numberless("open")]), ("weightBy=mixed", []),
      ("weightBy=w", [absent("w")]),
      (
        #"aggregate={"a":["sum","pop"],"b":["max","name"],"c":["min","x"],"d":["mean","x"]}"#,
        [numberless("name"), absent("x")]
      ),
      ("method=collision&priorityBy=rank&clusterBy=country", [absent("rank")]),
      ("method=collision&clusterBy=kind", [absent("kind")]),
      (#"histogram={"property":"age","bins":2}"#, [absent("age")]),
      ("countBy=state&weightBy=state&groupBy=state&filter=state%3D1", [absent("state")]),
      ("countBy=state&fields=coordinate", [absent("state")]),
      ("titleProperty=label&fields=count", [absent("label")]),
      ("properties=state", []),
    ] as [(String, [String])])
  func `a field that names what no feature has`(query: String, wanted: [String]) async throws {
    let service = try await service()
    let encoded = query.replacing("{", with: "%7B").replacing("}", with: "%7D").replacing(
      "\"", with: "%22")
    for form in ["json", "geojson", "json"] {
      let answer = await service.get(
        "\(path)/clusters?bbox=-180,-85,180,85&zoom=2&f=\(form)&\(encoded)")
      #expect(answer.status == 200 && notes(answer) == wanted, "\(answer.text)")
    }
    guard !query.contains("histogram") else { return }
    var fields: [TestJSON.Member] = [
      .init("latitudinalMeters", 1000), .init("longitudinalMeters", 1000),
      .init("viewportWidth", 300), .init("viewportHeight", 300),
    ]
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      let value = PercentCoding.decode(ArraySlice(pair[1].utf8), plusIsSpace: true) ?? ""
      var json = TestJSON.string(value)
      if ["fields", "properties"].contains(pair[0]) { json = .array([json]) }
      if value.hasPrefix("{") { json = try TestJSON(parsing: Array(value.utf8)) }
      fields.append(.init(pair[0], json))
    }
    // A filter would leave the feature out.
    let body = TestJSON.object(fields.filter { $0.key != "filter" })
    let found = await service.post("\(path)/items/1/locate", body.text)
    #expect(found.status == 200 && notes(found) == wanted, "\(found.text)")
  }

  @Test func `nothing is said of what has no features, nor of a span of time`() async throws {
    let service = try await service()
    #expect(
      await service.send(.put, "/collections/e", #"{"temporal":{"property":"when"}}"#).status == 201
    )
    #expect(await service.send(.put, path, #"{"temporal":{"property":"when"}}"#).status == 200)
    for collection in ["e", "c"] {
      let answer = await service.get("/collections/\(collection)/items?datetime=2026-01-01/..")
      #expect(answer.status == 200 && notes(answer) == [])
    }
    #expect(notes(await service.get("/collections/e/items?filter=a%3Db")) == [])
    #expect(notes(await service.get("/collections/e/tiles/0/0/0?filter=a%3Db&weightBy=w")) == [])
  }

  @Test func `names of any signs and lengths`() async throws {
    let service = try await service()
    let long = String(repeating: "ä", count: 90)
    let names = (0..<30).map { "\($0)\(long)" } + ["a, b%\u{1F5FE}"]
    let filter = names.map { "\"\($0)\" = 1" }.joined(separator: " OR ")
    let body = TestJSON.object([
      .init("filter", .string(filter)), .init("bbox", .array([0, 0, 9, 9])), .init("zoom", 3),
    ])
    let answer = await service.post("\(path)/clusters", body.text)
    let told = notes(answer)
    #expect(told.count == names.count && told.last == Self.absent("a, b%\u{1F5FE}"))
    #expect(told.first == Self.absent("0" + String(repeating: "ä", count: 49) + "…"))
    let tile = await service.get("\(path)/tiles/0/0/0?filter=\(Self.encoded(filter))")
    let field = try #require(tile.response.header("Pincluster-Notes"))
    #expect(
      tile.status == 204 && field.utf8.count <= 4096
        && field.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F || $0 == 0x20 })
    #expect(notes(tile) == Array(told.prefix(notes(tile).count)) && notes(tile).count > 3)
    #expect(
      answer.response.header("Access-Control-Expose-Headers")?.contains("Pincluster-Notes") == true)
  }

  // MARK: Against brute force

  private static let names = ["a", "b", "c", "d", "e f", "g"]

  /// A filter of conditions that don't cancel each other, the names in it, and those that are compared with others.
  private func filter(
    using generator: inout SeededGenerator
  ) -> (text: String, names: Set<String>, compared: Set<String>) {
    var (names, compared): (Set<String>, Set<String>) = ([], [])
    let conditions = (0..<generator.int(1...3)).map { number in
      let (one, other) = (generator.pick(Self.names), generator.pick(Self.names))
      names.insert(one)
      switch generator.int(0...6) {
      case 0:
        names.insert(other)
        compared.formUnion([one, other])
        return #""\#(one)" \#(generator.pick(["=", "<", "<>"])) "\#(other)""#
      case 1: return #""\#(one)" LIKE 'x\#(number)%'"#
      case 2: return #"NOT ("\#(one)" IS NULL)"#
      case 3: return #""\#(one)" IN ('x', \#(number))"#
      case 4: return #"CASEI("\#(one)") = CASEI('X\#(number)')"#
      case 5:
        names.insert(other)
        return #""\#(one)" + "\#(other)" > \#(number)"#
      default: return #""\#(one)" > \#(number)"#
      }
    }
    return (conditions.joined(separator: generator.pick([" AND ", " OR "])), names, compared)
  }

  private func feature(_ id: Int, _ allowed: [String], using generator: inout SeededGenerator)
    -> TwinFeature
  {
    var members: [TestJSON.Member] = []
    for name in allowed where generator.chance(0.5) {
      members.append(
        .init(name, generator.pick([.null, .string("x"), .number("1"), .bool(true), .array([])])))
    }
    let (x, y) = (generator.double(-179...179), generator.double(-80...80))
    return TwinFeature(id, x, y, TestJSON.object(members).text)
  }

  /// Properties come and go; each answer tells what is true of its version, from caches and without, and a service
  /// that has just read the store the same bytes.
  @Test(arguments: Seeds.each(1...3))
  func `random filters while properties come and go`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    var features: [Int: TwinFeature] = [:]
    for round in 0..<25 {
      let allowed = Self.names.filter { _ in generator.chance(0.6) }
      let ids = Set(
        (0..<generator.int(1...30)).map { _ in generator.int(1...(round < 3 ? 2000 : 40)) }
      ).sorted()
      let stored = ids.map { feature($0, allowed, using: &generator) }
      await service.store(stored)
      for (id, one) in zip(ids, stored) { features[id] = one }
      if generator.chance(0.5) {
        let gone = features.keys.sorted().filter { _ in generator.chance(0.5) }.prefix(900)
        if !gone.isEmpty {
          _ = await service.send(
            .delete, "\(path)/items?ids=\(gone.map(String.init).joined(separator: ","))")
        }
        for id in gone { features[id] = nil }
      }
      let values = features.values.flatMap {
        (try? TestJSON(parsing: Array(($0.properties ?? "{}").utf8)))?.members ?? []
      }
      let had = Set(values.filter { !$0.value.isNull }.map(\.key))
      let counted = Set(
        values.filter { if case .number = $0.value { true } else { false } }.map(\.key))
      for _ in 0..<4 {
        let (text, names, compared) = filter(using: &generator)
        let weight = generator.pick(Self.names)
        let wanted = names.subtracting(had).map {
          Self.absent($0) + (compared.contains($0) ? Self.quotes : "")
        }
        var weighed = Set(wanted)
        if !had.contains(weight) {
          if !names.contains(weight) { weighed.insert(Self.absent(weight)) }
        } else if !counted.contains(weight) {
          weighed.insert(Self.numberless(weight))
        }
        let query = "filter=\(Self.encoded(text))"
        let view = "\(path)/clusters?bbox=-180,-85,180,85&zoom=1&\(query)"
        for (target, wanted) in [
          (view, Set(wanted)), (view, Set(wanted)),
          ("\(view)&weightBy=\(Self.encoded(weight))", weighed),
          ("\(path)/items?limit=3&\(query)", Set(wanted)),
          ("\(path)/tiles/0/0/0?\(query)", Set(wanted)),
          ("\(path)/tiles/0/0/0?\(query)", Set(wanted)),
          (
            "\(path)/clusters?bbox=-180,-85,180,85&zoom=1&titleProperty=\(Self.encoded(weight))",
            had.contains(weight) ? [] : [Self.absent(weight)]
          ),
        ] {
          let answer = await service.get(target)
          #expect(answer.status == 200 || answer.status == 204, "\(answer.text)")
          let told = notes(answer)
          #expect(
            Set(told) == (features.isEmpty ? [] : wanted) && told.count == Set(told).count,
            "\(target)")
        }
      }
    }
  }
}
