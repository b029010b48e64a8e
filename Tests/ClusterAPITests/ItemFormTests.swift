import ClusterCore
import HTTPServer
import TestSupport
import Testing
import Texts

@testable import ClusterAPI

/// The forms of lists of features: some of their properties, without geometry, as tables.
@Suite(.timeLimit(.minutes(10))) struct ItemFormTests {
  private static let names = ["a", "b", "c d\"'", "é", "properties", "x,y", "lon", "latitude"]
  private static let values = [
    "null", "true", "0", "-2.50", "\"5\"", "\"\"", "\" x \"", "\"it's, \\\"so\\\"\"",
    "\"a\\r\\nb\"",
    "[1,\"a,b\"]", "{\"x\":null}", "\"=1+1\"", "12345678901234567890", "\"\\u00e9\"",
    "\"\u{FEFF}\"",
  ]

  private static func features(_ count: Int, _ random: inout SeededGenerator) -> [TwinFeature] {
    (0..<count).map { id in
      let members = names.shuffled(using: &random).prefix(random.int(0...5)).map {
        "\(TestJSON.string($0).text):\(random.pick(values))"
      }
      return TwinFeature(
        id, random.double(-170...170), random.double(-80...80),
        "{\(members.joined(separator: ","))}")
    }
  }

  /// A random selection of features.
  private static func selection(_ random: inout SeededGenerator) -> String {
    let parts = [
      "bbox=-90,-45,120,60", "filter=a%20IS%20NOT%20NULL", "b=0", "sortby=-a,b",
      "ids=\((0..<40).map(String.init).joined(separator: ","))", "datetime=2020-01-01",
      "crs=http://www.opengis.net/def/crs/OGC/1.3/CRS84",
    ].filter { _ in random.chance(0.3) }
    return (parts + ["limit=\(random.int(0...80))", "offset=\(random.int(0...30))"])
      .joined(separator: "&")
  }

  /// A random list of names, of which some are no feature's, and the parameter.
  private static func properties(_ random: inout SeededGenerator) -> ([String], String) {
    let wanted = (names.filter { $0 != "x,y" } + ["none of them", "id"]).shuffled(using: &random)
      .prefix(random.int(0...5))
    if wanted.isEmpty { return ([], random.pick(["properties=none", "properties="])) }
    let list = wanted.map { PercentCoding.encode($0) }.joined(separator: ",")
    return (Array(wanted), "properties=\(list)")
  }

  @Test(arguments: Seeds.each(1...3))
  func `features have the properties that are asked for`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let service = try await Service(Self.features(200, &random))
    for _ in 0..<60 {
      let target = "/collections/c/items?\(Self.selection(&random))"
      let (wanted, parameter) = Self.properties(&random)
      let isBare = random.chance(0.5)
      let whole = await service.get(target)
      let some = await service.get(
        "\(target)&\(parameter)" + (isBare ? "&skipGeometry=true" : "&skipGeometry=false"))
      #expect(some.status == 200 && whole.status == 200, "\(target) \(some.text.prefix(200))")
      for name in ["numberMatched", "numberReturned"] { #expect(some[name] == whole[name]) }
      let expected = try #require(whole["features"]?.array).map { feature in
        TestJSON.object(
          (feature.members ?? []).map { member in
            if member.key == "geometry", isBare { return .init("geometry", .null) }
            guard member.key == "properties" else { return member }
            return .init(
              "properties",
              .object((member.value.members ?? []).filter { wanted.contains($0.key) }))
          })
      }
      #expect(some["features"]?.array == expected, "\(target)&\(parameter)")
      if let next = some.next { #expect(next.contains(parameter)) }
      guard let id = expected.first?["id"]?.text else { continue }
      let one = await service.get(
        "/collections/c/items/\(id)?\(parameter)&skipGeometry=\(isBare)&f=json")
      #expect(one.json == expected[0], "\(parameter)")
    }
  }

  @Test(arguments: Seeds.each(4...6))
  func `a table holds what GeoJSON does`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let service = try await Service(Self.features(200, &random))
    let all = try #require(await service.get("/collections/c/items")["features"]?.array)
    var seen: [String] = []
    for name in all.flatMap({ $0["properties"]?.members?.map(\.key) ?? [] })
    where !seen.contains(name) {
      seen.append(name)
    }
    for _ in 0..<60 {
      var target = "/collections/c/items?\(Self.selection(&random))"
      var columns = seen
      if random.chance(0.5) {
        let (wanted, parameter) = Self.properties(&random)
        (target, columns) = ("\(target)&\(parameter)", wanted)
      }
      // These are the features' own.
      columns.removeAll { ["id", "longitude", "latitude"].contains($0) }
      let json = await service.get(target)
      let answer = await service.get("\(target)&f=csv")
      let table = try #require(TestTable(answer.response.body), "\(target): \(answer.text)")
      #expect(table.header == ["id", "longitude", "latitude"] + columns)
      let expected = try #require(json["features"]?.array).map { feature in
        [
          feature["id"], feature["geometry"]?["coordinates"]?.array?[0],
          feature["geometry"]?["coordinates"]?.array?[1],
        ].map { $0?.text ?? "" }
          + columns.map { Self.field(feature["properties"]?[$0]) }
      }
      #expect(table.rows == expected, "\(target)")
      #expect(answer.response.header("OGC-NumberMatched") == json["numberMatched"]?.text)
      #expect(answer.response.header("OGC-NumberReturned") == json["numberReturned"]?.text)
      #expect(
        Self.next(answer) == json.next.map { "\($0)".replacing("&offset", with: "&f=csv&offset") })
    }
  }

  /// The field of a value.
  private static func field(_ value: TestJSON?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case .some(let other): other.text
    }
  }

  private static func next(_ answer: Answer) -> String? {
    answer.response.header("Link")?.firstMatch(of: /<([^>]*)>; rel="next"; type="text\/csv"/).map {
      String($0.1)
    }
  }

  @Test func `pages of a table go together`() async throws {
    var random = SeededGenerator(seed: 7)
    let service = try await Service(Self.features(230, &random))
    let whole = await service.get("/collections/c/items?f=csv")
    var (target, lines, pages): (String?, [UInt8], Int) = (
      "/collections/c/items?f=csv&limit=50", [], 0
    )
    while let page = target, pages < 10 {
      let answer = await service.get(page)
      let body = answer.response.body
      lines += lines.isEmpty ? body[...] : body.dropFirst(1 + (body.firstIndex(of: 0x0A) ?? 0))
      target = Self.next(answer)
      pages += 1
    }
    #expect(pages == 5 && lines == whole.response.body)
    // What it says of itself.
    #expect(whole.response.header("Content-Type") == "text/csv; charset=utf-8; header=present")
    #expect(whole.response.header("Content-Disposition") == "attachment; filename=\"c.csv\"")
    let exposed = whole.response.header("Access-Control-Expose-Headers") ?? ""
    #expect(exposed.contains("OGC-NumberMatched") && exposed.contains("Link"))
    // Its own features come back from it.
    let back = await service.post(
      "/collections/back/items?text=a", whole.text, type: "text/csv")
    #expect(back["inserted"]?.int == 230, "\(back.text)")
  }

  @Test func `a table is chosen by f or Accept, and has its own tag`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"a\":1}")])
    let path = "/collections/c/items"
    let table = "id,longitude,latitude,a\r\n1,2,3,1\r\n"
    for accept in [
      "text/csv", "text/csv;q=0.9, application/json;q=0.1", "text/csv; header=present",
    ] {
      let answer = await service.get(path, headers: [("Accept", accept)])
      #expect(answer.text == table, "\(accept)")
    }
    for accept in ["*/*", "application/json, text/csv", "text/csv;q=0, */*"] {
      #expect(
        await service.get(path, headers: [("Accept", accept)]).text.hasPrefix("{"), "\(accept)")
    }
    (await service.get(path, headers: [("Accept", "text/plain")])).expectProblem(406)
    (await service.get("\(path)?f=tsv")).expectProblem(400, at: "f")
    (await service.get("\(path)/1?f=csv")).expectProblem(400, at: "f")
    let link = "http://a.example\(path)?f=csv"
    let json = await service.get(path, headers: [("Host", "a.example")])
    #expect(json["links"]?.array?.contains { $0["href"]?.string == link } == true)
    var tags: Set<String> = []
    for query in ["f=json", "f=geojson", "f=csv", "f=csv&properties=none", "f=html"] {
      let answer = await service.get("\(path)?\(query)")
      let tag = try #require(answer.response.etag)
      #expect(tags.insert(tag).inserted, "\(query)")
      #expect(
        await service.get("\(path)?\(query)", headers: [("If-None-Match", "\"\(tag)\"")]).status
          == 304)
      #expect(await service.send(.head, "\(path)?\(query)").status == 200)
    }
    // The features of an annotation, too.
    let items = await service.get("/collections/c/clusters/g1_60_0_0/items?f=csv")
    #expect(items.text == table)
    #expect(
      await service.get("/collections/c/items?f=csv&limit=0").text == "id,longitude,latitude,a\r\n")
    await service.store([], in: "empty")
    #expect(await service.get("/collections/empty/items?f=csv").text == "id,longitude,latitude\r\n")
  }

  @Test func `a table has a thousand columns at most`() async throws {
    let service = try Service()
    func wide(_ count: Int) -> String {
      "{\((0..<count).map { "\"p\($0)\":\($0)" }.joined(separator: ","))}"
    }
    await service.store([TwinFeature(1, 2, 3, wide(1000))])
    let all = await service.get("/collections/c/items?f=csv")
    #expect(TestTable(all.response.body)?.header.count == 1003)
    await service.store([TwinFeature(2, 2, 3, wide(1001))])
    (await service.get("/collections/c/items?f=csv")).expectProblem(422, at: "properties")
    let some = await service.get("/collections/c/items?f=csv&properties=p1000,p3")
    #expect(some.text == "id,longitude,latitude,p1000,p3\r\n1,2,3,,3\r\n2,2,3,1000,3\r\n")
    let names = (0...1000).map { "p\($0)" }.joined(separator: ",")
    (await service.get("/collections/c/items?properties=\(names)")).expectProblem(
      422, at: "properties")
  }

  @Test func `columns tell a tenant nothing of others`() async throws {
    let service = try Service(
      keys: """
        admin:root
        {"scope":"read","key":"a","filter":"t = 'a'"}
        """)
    func send(_ target: String, _ body: String? = nil, by key: String) async -> Answer {
      await service.send(
        body == nil ? .get : .post, target, body, headers: [("Authorization", "Bearer \(key)")])
    }
    let features = [
      TwinFeature(1, 1, 1, "{\"t\":\"a\",\"mine\":1}"),
      TwinFeature(2, 1, 1, "{\"t\":\"b\",\"theirs\":1}"),
    ]
    #expect(
      await send("/collections/c/items", features.featureCollection, by: "root").status == 200)
    let all = await send("/collections/c/items?f=csv", by: "root")
    #expect(all.text.hasPrefix("id,longitude,latitude,t,mine,theirs\r\n"))
    let own = await send("/collections/c/items?f=csv", by: "a")
    #expect(own.text == "id,longitude,latitude,t,mine\r\n1,1,1,a,1\r\n")
    #expect(own.response.header("OGC-NumberMatched") == "1")
  }

  @Test func `the only reference system is CRS84`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let uri = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
    for path in ["/collections/c/items", "/collections/c/items/1"] {
      for value in [uri, PercentCoding.encode(uri), "%5BOGC:CRS84%5D"] {
        let answer = await service.get("\(path)?crs=\(value)")
        #expect(answer.status == 200 && answer.response.header("Content-Crs") == "<\(uri)>")
      }
      #expect(await service.get(path).response.header("Content-Crs") == nil)
      for value in ["http://www.opengis.net/def/crs/EPSG/0/4326", "EPSG:3857", "", uri + "h"] {
        (await service.get("\(path)?crs=\(value)")).expectProblem(400, at: "crs")
      }
      (await service.get("\(path)?skipGeometry=1")).expectProblem(400, at: "skipGeometry")
    }
    let box = "/collections/c/items?bbox=1,2,4,5"
    #expect(await service.get("\(box)&bbox-crs=\(uri)").ids == ["1"])
    (await service.get("\(box)&bbox-crs=EPSG:4326")).expectProblem(400, at: "bbox-crs")
    (await service.get("/collections/c/items/1?bbox-crs=\(uri)")).expectProblem(400, at: "bbox-crs")
    (await service.get("\(box)&filter=a%3D1&filter-crs=EPSG:4326")).expectProblem(
      400, at: "filter-crs")
    let table = await service.get("\(box)&crs=\(uri)&f=csv")
    #expect(table.response.header("Content-Crs") == "<\(uri)>")
  }

  @Test func `a page has a thousand features, and a hundred for people`() async throws {
    let service = try await Service(
      (0..<1003).map { TwinFeature($0, Double($0 % 90), 3, "{\"n\":\($0)}") })
    for path in ["/collections/c/items", "/collections/c/clusters/g1_60_0_0/items"] {
      let answer = await service.get(path)
      #expect(answer["numberReturned"]?.int == 1000 && answer["numberMatched"]?.int == 1003)
      #expect(await service.get(try #require(answer.next)).ids.count == 3)
      let table = await service.get("\(path)?f=csv")
      #expect(TestTable(table.response.body)?.rows.count == 1000)
    }
    for (query, count) in [("f=html", 100), ("f=html&limit=150", 150), ("f=html&limit=5000", 1000)]
    {
      let page = await service.get("/collections/c/items?\(query)")
      #expect(page.text.matches(of: /items\/\d+\?f=html/).count == count)
      #expect(page.text.contains("offset=\(count)"))
    }
    for (form, isWhole) in [("", true), ("&properties=none&skipGeometry=true", false)] {
      let page = await service.get("/collections/c/items?f=html&limit=40\(form)")
      for part in ["class=\"points\"", ">n</th>", ">Longitude<"] {
        #expect(page.text.contains(part) == isWhole, "\(part) with \(form)")
      }
      let one = await service.get("/collections/c/items/7?f=html\(form)")
      for part in [">n</th>", ">Longitude<"] {
        #expect(one.text.contains(part) == isWhole, "\(part) with \(form)")
      }
    }
  }

  @Test func `programs learn the types of columns from all features`() async throws {
    let service = try await Service(
      (0..<30).map {
        let last = $0 == 29
        return TwinFeature(
          $0, Double($0), 0,
          """
          {"price":\(last ? "12.5" : "12"),"code":\(last ? "\"a\"" : "1"),"n":1,"list":[1],"nothing":null,\
          "rate":\(last ? "0.5" : "null"),"long":\(last ? "-2147483649" : "-2147483648"),"most":2147483647,"since":"2026-01-02T03:04:05Z","dated":\(last ? "[]" : "\"2026-01-02\""),"open":true,"o":\(last ? "{}" : "1")}
          """)
      })
    let collection = await service.get("/collections/c", headers: [("Host", "a.example")])
    let link = collection["links"]?.array?.first { $0["rel"]?.string == "describedBy" }
    #expect(link?["type"]?.string == "application/schema+json")
    #expect(link?["href"]?.string == "http://a.example/collections/c/schema?type=feature")
    let schema = await service.get("/collections/c/schema?type=feature")
    #expect(schema.type == "application/schema+json")
    let properties = schema["properties"]?["properties"]?["properties"]
    let types = properties?.members?.map { "\($0.key) \($0.value["type"]?.text ?? "")" }
    #expect(
      types == [
        "price \"number\"", "code [\"string\",\"integer\"]", "n \"integer\"", "list \"string\"",
        "rate \"number\"", "long \"number\"", "most \"integer\"", "since \"string\"",
        "dated \"string\"", "open \"boolean\"", "o [\"string\",\"integer\"]",
      ])
    #expect(properties?["since"]?["format"]?.string == "date-time")
    #expect(properties?["dated"]?["format"] == nil)
    #expect(schema["properties"]?["geometry"]?["properties"]?["type"]?["const"]?.string == "Point")
    (await service.get("/collections/c/schema?type=features")).expectProblem(400, at: "type")
  }

  @Test func `the description may leave out what depends on data`() async throws {
    let service = try Service()
    let before = await service.get("/api?properties=none")
    #expect(before.text == (await service.get("/api")).text)
    await service.store([TwinFeature(1, 2, 3, "{\"colour\":1}")])
    #expect(await service.get("/api").text.contains("\"colour\""))
    let after = await service.get("/api?properties=none&f=json")
    #expect(after.status == 200 && after.text == before.text && !after.text.contains("colour"))
    for value in ["all", "", "None", "*"] {
      (await service.get("/api?properties=\(value)")).expectProblem(400, at: "properties")
    }
    (await service.get("/openapi.yaml?properties=none")).expectProblem(400, at: "properties")
  }
}
