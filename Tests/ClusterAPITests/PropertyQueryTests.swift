import TestSupport
import Testing
import Texts

@testable import ClusterAPI

/// Properties as parameters, orders by properties, and what is told of properties, beside brute force.
@Suite(.timeLimit(.minutes(10))) struct PropertyQueryTests {
  private static let names = ["a", "b", "c d\"'", "é", "limit"]

  /// A value as JSON text; some are equal, and some are equal but for their type.
  private static func value(_ random: inout SeededGenerator) -> String {
    [
      "null", "true", "false", "0", "-0.0", "5", "5.0", "\"5\"", "7.5", "-3", "1e3", "\"\"",
      "\"x\"", "\"X\"", "\"é\"", "\"\\u00e9\"", "\"true\"", "\"it's\"", "[1]", "{\"x\":1}",
      "\"2020-01-01T00:00:00Z\"", "\"~\"",
    ].randomElement(using: &random) ?? "null"
  }

  private static func features(_ count: Int, _ random: inout SeededGenerator) -> [TwinFeature] {
    (0..<count).map { id in
      let members = names.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)).map
      {
        "\(TestJSON.string($0).text):\(value(&random))"
      }
      return TwinFeature(
        id, Double.random(in: -170...170, using: &random),
        Double.random(in: -80...80, using: &random),
        "{\(members.joined(separator: ","))}")
    }
  }

  private static func escaped(_ text: String) -> String { PercentCoding.encode(text) }

  private static func all(_ service: Service) async throws -> [TestJSON] {
    try #require(await service.get("/collections/c/items?limit=10000")["features"]?.array)
  }

  // MARK: Parameters

  @Test(arguments: [1, 2, 3]) func `a parameter asks for equal values`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let service = try await Service(Self.features(400, &random))
    let features = try await Self.all(service)
    for text in ["5", "true", "x", "", "é", "it's", "-0", "1000", "7.50", "nan", "0x5", "+5", "5e"]
    {
      for name in ["a", "c d\"'", "é"] {
        let wanted = features.filter { Self.isEqual($0["properties"]?[name], text) }
        let query = "\(Self.escaped(name))=\(Self.escaped(text))"
        let answer = await service.get("/collections/c/items?limit=10000&\(query)")
        #expect(answer.status == 200, "\(query): \(answer.text)")
        #expect(answer.ids == wanted.map { $0["id"]?.text ?? "" }, "\(query)")
        let view = await service.get(
          "/collections/c/clusters?bbox=-180,-90,180,90&zoom=1&\(query)")
        #expect(view["featureCount"]?.int == wanted.count, "\(query)")
        // And a filter, and again from the cache.
        let both = "filter=\(Self.escaped("a = 5 or b is not null"))&\(query)"
        let counts = await [
          service.get("/collections/c/items?limit=0&\(both)")["numberMatched"]?.int,
          service.get("/collections/c/clusters?bbox=-180,-90,180,90&zoom=1&\(both)")[
            "featureCount"]?.int,
          service.get("/collections/c/clusters?bbox=-180,-90,180,90&zoom=1&\(both)")[
            "featureCount"]?.int,
        ]
        let expected = wanted.count {
          let b = $0["properties"]?["b"] ?? .null
          return $0["properties"]?["a"]?.double == 5 || b != .null
        }
        #expect(counts == [expected, expected, expected], "\(both)")
      }
    }
  }

  /// Whether a value is the text, or the number or boolean that it is written as.
  private static func isEqual(_ value: TestJSON?, _ text: String) -> Bool {
    if value?.string == text { return true }
    if let bool = value?.bool { return text == "\(bool)" }
    guard let number = value?.double, let json = try? TestJSON(parsing: Array(text.utf8)) else {
      return false
    }
    return json.double == number
  }

  @Test func `own fields come first, and other names are unknown`() async throws {
    let service = try await Service(
      (0..<30).map { TwinFeature($0, 1, 2, "{\"limit\":1,\"f\":2,\"n\":3}") })
    let answer = await service.get("/collections/c/items?limit=7&n=3")
    #expect(answer.ids.count == 7 && answer["numberMatched"]?.int == 30)
    for path in ["items?limt=5", "items?N=3", "clusters?bbox=0,0,9,9&zoom=3&zom=1"] {
      let name = path.split(whereSeparator: { "?&".contains($0) }).last.map {
        $0.prefix { $0 != "=" }
      }
      (await service.get("/collections/c/\(path)")).expectProblem(400, at: name.map(String.init))
    }
    for path in ["items?n=1&n=2", "items?n=3&%6E=3"] {
      (await service.get("/collections/c/\(path)")).expectProblem(400, at: "n")
    }
    // A body has no parameters, and other resources have fields only.
    (await service.post("/collections/c/clusters", "{\"bbox\":[0,0,9,9],\"zoom\":3,\"n\":3}"))
      .expectProblem(400, at: "/n")
    (await service.get("/collections/c/pins?bbox=0,0,9,9&n=3")).expectProblem(400, at: "n")
    let many = (0..<40).map { "p\($0)=1" }.joined(separator: "&")
    let refused = await service.get("/collections/c/items?\(many)")
    #expect([400, 422].contains(refused.status))
  }

  // MARK: Order

  @Test(arguments: [1, 2, 3, 4]) func `sortby is the order of brute force, page by page`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let service = try await Service(Self.features(500, &random))
    let features = try await Self.all(service)
    for keys in [["+a"], ["-a"], ["é", "-b"], ["a", "b", "é", "limit"], ["-limit", "-a", "+b"]] {
      let sorted = features.enumerated().sorted { one, other in
        for key in keys {
          let name = key.drop { "+-".contains($0) }
          let (x, y) = (
            one.element["properties"]?["\(name)"], other.element["properties"]?["\(name)"]
          )
          let order = Self.compare(x, y, isDescending: key.first == "-")
          if order != 0 { return order < 0 }
        }
        return one.offset < other.offset
      }.map { $0.element["id"]?.text ?? "" }
      let query = "sortby=" + keys.map(Self.escaped).joined(separator: ",")
      #expect(
        await service.get("/collections/c/items?limit=10000&\(query)").ids == sorted, "\(keys)")
      var (target, ids): (String?, [String]) = ("/collections/c/items?limit=77&\(query)", [])
      while let path = target {
        let page = await service.get(path)
        ids += page.ids
        target = page.next
      }
      #expect(ids == sorted, "\(keys)")
      let part = await service.get(
        "/collections/c/items?limit=20&offset=3&bbox=-90,-80,90,80&a=5&\(query)")
      let within = await service.get("/collections/c/items?limit=10000&bbox=-90,-80,90,80&a=5")
      let wanted = sorted.filter { Set(within.ids).contains($0) }
      #expect(part.ids == Array(wanted.dropFirst(3).prefix(20)), "\(keys)")
    }
    // A plus that isn't escaped is a space.
    let plus = await service.get("/collections/c/items?sortby=+a&limit=500")
    #expect(plus.ids == (await service.get("/collections/c/items?sortby=a&limit=500")).ids)
  }

  /// Numbers, strings, booleans; the others last in either direction.
  private static func compare(_ x: TestJSON?, _ y: TestJSON?, isDescending: Bool) -> Int {
    func kind(_ value: TestJSON?) -> Int {
      if value?.double != nil { return 0 }
      return value?.string != nil ? 1 : value?.bool != nil ? 2 : 3
    }
    let (first, second) = (kind(x), kind(y))
    if first == 3 || second == 3 { return first - second }
    var order = first - second
    if order == 0, let a = x?.double, let b = y?.double { order = a < b ? -1 : a > b ? 1 : 0 }
    if order == 0, let a = x?.string, let b = y?.string {
      let isLess = a.utf8.lexicographicallyPrecedes(b.utf8)
      order = isLess ? -1 : Array(a.utf8) == Array(b.utf8) ? 0 : 1
    }
    if order == 0, let a = x?.bool, let b = y?.bool { order = a == b ? 0 : a ? 1 : -1 }
    return isDescending ? -order : order
  }

  @Test func `sortby refuses what it can't order by`() async throws {
    let service = try Service()
    (await service.send(.put, "/collections/c")).expect(201)
    (await service.get("/collections/c/items?sortby=-any")).expect(200)
    await service.store([TwinFeature(1, 1, 2, "{\"a\":1}")])
    let unknown = await service.get("/collections/c/items?sortby=a,-b")
    #expect(unknown.status == 200 && unknown.ids.count == 1)
    #expect(unknown["notes"]?.array?.compactMap(\.string) == ["No feature has a property b."])
    (await service.get("/collections/c/items?sortby=a,b&f=csv")).expect(200)
    (await service.get("/collections/c/items?sortby=a,-")).expectProblem(400, at: "sortby")
    (await service.get("/collections/c/items?sortby=a,,a")).expectProblem(400, at: "sortby")
    (await service.get("/collections/c/items?sortby=a,a,a,a,a")).expectProblem(422, at: "sortby")
    (await service.get("/collections/c/items?sortby=")).expect(200)
    (await service.get("/collections/c/items?sortby=a,a,a,a")).expect(200)
    (await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3&sortby=a"))
      .expectProblem(400, at: "sortby")
  }

  // MARK: What is told of properties

  @Test(arguments: [1, 2, 3]) func `the schema has the types that features have now`(seed: UInt64)
    async throws
  {
    var random = SeededGenerator(seed: seed)
    let service = try Service()
    var features = Self.features(300, &random)
    for round in 0..<3 {
      await service.store(features)
      for name in ["schema", "queryables"] {
        let answer = await service.get("/collections/c/\(name)")
        #expect(answer.status == 200 && answer.type == "application/schema+json")
        var told: [String: Set<String>] = [:]
        for member in answer["properties"]?.members ?? [] {
          let (property, schema) = (member.key, member.value)
          guard schema["x-ogc-role"] == nil else { continue }
          let types = schema["type"]?.array ?? [schema["type"] ?? .null]
          told[property] = Set(types.compactMap(\.string))
        }
        #expect(told == Self.types(features), "\(name), round \(round)")
        #expect(answer["additionalProperties"]?.bool == (name == "queryables"))
        let again = await service.get(
          "/collections/c/\(name)",
          headers: [("If-None-Match", "\"\(answer.response.etag ?? "")\"")])
        #expect(again.status == 304)
      }
      // Other features under the same ids.
      features = features.map { feature in
        var changed = feature
        changed.properties = Self.features(1, &random).first?.properties
        return changed
      }
    }
    await service.store(
      [TwinFeature(1, 1, 2, "{\"t\":\"2020-01-01T00:00:00Z\",\"u\":\"2020-01-01\"}")], in: "t")
    let times = await service.get("/collections/t/schema")
    #expect(times["properties"]?["t"]?["format"]?.string == "date-time")
    #expect(times["properties"]?["u"]?["format"]?.string == "date")
    // Both together are neither, as are a day that isn't and one with a time that isn't.
    let others = ["2020-01-01T00:00:00Z", "2020-02-30", "2020-1-1", "2020-01-01T", "20200101", ""]
    for (number, other) in others.enumerated() {
      await service.store([TwinFeature(2, 1, 2, "{\"u\":\"\(other)\"}")], in: "t")
      let mixed = await service.get("/collections/t/schema")
      #expect(mixed["properties"]?["u"]?["format"] == nil, "\(number)")
    }
    await service.store([TwinFeature(2, 1, 2, "{\"u\":null}")], in: "t")
    let dates = await service.get("/collections/t/queryables")
    #expect(dates["properties"]?["u"]?["format"]?.string == "date")
  }

  private static func types(_ features: [TwinFeature]) -> [String: Set<String>] {
    var types: [String: Set<String>] = [:]
    for feature in features {
      for member in (try? TestJSON(parsing: feature.properties ?? ""))?.members ?? [] {
        let (name, value) = (member.key, member.value)
        let type: String
        if value == .null {
          type = "null"
        } else if value.bool != nil {
          type = "boolean"
        } else if value.string != nil {
          type = "string"
        } else if value.array != nil {
          type = "array"
        } else if value.members != nil {
          type = "object"
        } else {
          type = value.text.allSatisfy { $0.isNumber || $0 == "-" } ? "integer" : "number"
        }
        types[name, default: []].insert(type)
      }
    }
    return types.mapValues { $0.contains("number") ? $0.subtracting(["integer"]) : $0 }
  }

  @Test func `a schema has its bounds`() async throws {
    let service = try Service()
    let long = String(repeating: "x", count: 256)
    let names = (0..<1100).map { "p\($0)" } + [long, long + "x"]
    for (number, part) in [Array(names.suffix(2)), names].enumerated() {
      let members = part.map { "\"\($0)\":1" }.joined(separator: ",")
      await service.store([TwinFeature(1, 1, 2, "{\(members)}")], in: "c\(number)")
      let schema = await service.get("/collections/c\(number)/queryables")
      #expect(schema["additionalProperties"]?.bool == true)
      let told = Set((schema["properties"]?.members ?? []).map(\.key))
      #expect(told.count == (number == 0 ? 3 : 1002) && !told.contains(long + "x"))
    }
    (await service.get("/collections/none/schema")).expectProblem(404)
    (await service.get("/collections/c0/schema?f=xml")).expectProblem(400, at: "f")
  }
}
