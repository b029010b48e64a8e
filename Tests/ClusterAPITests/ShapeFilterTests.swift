import TestSupport
import Testing

/// Shapes in filters: all else is as if only the features in them existed.
@Suite(.timeLimit(.minutes(10))) struct ShapeFilterTests {
  /// Convex polygons around a place, and whether a point is in one, by its half-planes. All is in integers.
  private struct District {
    let corners: [(x: Int, y: Int)]

    init(_ generator: inout SeededGenerator) {
      let (x, y) = (generator.int(-60...60), generator.int(-40...40))
      let (a, b) = (generator.int(2...40), generator.int(2...30))
      corners = [(x - a, y), (x - a / 2, y - b), (x + a, y - b / 2), (x + a / 2, y + b)]
    }

    var text: String {
      let points = (corners + [corners[0]]).map { "\($0.x) \($0.y)" }.joined(separator: ",")
      return "POLYGON((\(points)))"
    }

    var json: String {
      let points = (corners + [corners[0]]).map { "[\($0.x),\($0.y)]" }.joined(separator: ",")
      return #"{"type":"Polygon","coordinates":[[\#(points)]]}"#
    }

    func contains(_ feature: TwinFeature) -> Bool {
      let (x, y) = (Int(feature.coordinate.longitude), Int(feature.coordinate.latitude))
      return zip(corners, corners.dropFirst() + [corners[0]]).allSatisfy { a, b in
        (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) >= 0
      }
    }
  }

  @Test(arguments: Seeds.each(51...52))
  func `districts give what a collection of their features would`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    // Several blocks, and many at the same place.
    let features = (0..<1500).map {
      TwinFeature(
        $0, Double(generator.int(-100...100)), Double(generator.int(-70...70)), "{\"k\":\($0 % 5)}")
    }
    await service.store(features)
    for round in 0..<5 {
      let (district, other) = (District(&generator), District(&generator))
      let spatial = "S_INTERSECTS(geometry, \(district.text))"
      let json = #"{"op":"s_intersects","args":[{"property":"geometry"},\#(district.json)]}"#
      let cases: [(String, (TwinFeature) -> Bool)] = [
        (spatial, { district.contains($0) }),
        ("\(spatial) AND k < 3", { district.contains($0) && ($0.property("k")?.int ?? 9) < 3 }),
        (
          "\(spatial) AND S_DISJOINT(\(other.text), geometry)",
          { district.contains($0) && !other.contains($0) }
        ),
        ("NOT \(spatial)", { !district.contains($0) }),
        ("\(spatial) OR k = 4", { district.contains($0) || $0.property("k")?.int == 4 }),
      ]
      let (text, holds) = cases[round % cases.count]
      await service.expect(
        text, json: text == spatial ? json : nil, gives: features.filter(holds), in: "only\(round)",
        views: [
          #""bbox":[-180,-80,180,80],"zoom":2"#, #""bbox":[-10,-10,15,10],"zoom":4"#,
          #""bbox":[-100,-60,20,60],"zoom":3,"groupBy":"k","countBy":"k""#,
        ], list: "bbox=-30,-30,40,30")
    }
  }

  /// Writes after a shape was asked for.
  @Test func `a district is kept current`() async throws {
    let service = try await Service(
      (0..<2500).map { TwinFeature($0, Double($0 % 50), Double($0 / 50)) })
    let target =
      "/collections/c/items?limit=0&filter="
      + TwinRequest.percentEncoded("S_INTERSECTS(geometry, POLYGON((9 9, 31 9, 31 31, 9 31, 9 9)))")
    #expect((await service.get(target))["numberMatched"]?.int == 23 * 23)
    await service.store([TwinFeature(0, 20, 20), TwinFeature(20 + 20 * 50, -1, -1)])
    #expect((await service.get(target))["numberMatched"]?.int == 23 * 23)
    #expect(await service.send(.delete, "/collections/c/items/0").status == 204)
    #expect((await service.get(target))["numberMatched"]?.int == 23 * 23 - 1)
  }

  /// What is beyond all limits is refused at once, as text and as JSON.
  @Test func `hostile shapes`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let points = (0..<40_000).map { "\($0 % 100) \($0 % 80)" }.joined(separator: ",")
    let numbers = (0..<40_000).map { "[\($0 % 100),\($0 % 80)]" }.joined(separator: ",")
    let zigzag = (0..<5000).map { "\($0 % 2 == 0 ? -90 : 90) \($0 % 80)" }.joined(separator: ",")
    let filters = [
      "\"S_INTERSECTS(geometry, POLYGON((\(points))))\"",
      "\"S_INTERSECTS(geometry, POLYGON((\(zigzag), -90 0)))\"",
      "\"S_INTERSECTS(geometry, BBOX(0, 91, 1, 92))\"",
      #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Polygon","coordinates":[["#
        + numbers + "]]}]}",
      #"{"op":"s_intersects","args":[{"property":"geometry"},{"type":"Point","coordinates":[1e9,1]}]}"#,
      #"{"op":"t_after","args":[{"property":"a"},{"interval":["2021-01-01","2020-01-01"]}]}"#,
    ]
    for filter in filters {
      // A place that isn't on Earth is malformed.
      let isBeyondWorld = filter.contains("1e9") || filter.contains("BBOX")
      (await service.post(
        "/collections/c/clusters", "{\"bbox\":[0,0,9,9],\"zoom\":3,\"filter\":\(filter)}"))
        .expectProblem(isBeyondWorld ? 400 : 422, at: "/filter", String(filter.prefix(80)))
    }
  }

  @Test func `languages and reference systems`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"a\":1}"), TwinFeature(2, 2, 3)])
    let json = TwinRequest.percentEncoded(#"{"op":"=","args":[{"property":"a"},1]}"#)
    let crs = TwinRequest.percentEncoded("http://www.opengis.net/def/crs/OGC/1.3/CRS84")
    let items = "/collections/c/items?filter="
    #expect((await service.get("\(items)\(json)&filter-lang=cql2-json")).ids == ["1"])
    #expect((await service.get("\(items)a=1&filter-lang=cql2-text&filter-crs=\(crs)")).ids == ["1"])
    (await service.get("\(items)\(json)")).expectProblem(400, at: "filter")
    (await service.get("\(items)a=1&filter-lang=cql2-json")).expectProblem(400, at: "filter")
    (await service.get("\(items)a=1&filter-lang=sql")).expectProblem(400, at: "filter-lang")
    (await service.get("\(items)a=1&filter-crs=EPSG:3857")).expectProblem(400, at: "filter-crs")
    func count(_ fields: String) async -> Int? {
      let body = "{\"bbox\":[0,0,9,9],\"zoom\":3,\(fields)}"
      return (await service.post("/collections/c/clusters", body))["featureCount"]?.int
    }
    #expect(await count(#""filter":{"op":"isNull","args":[{"property":"a"}]}"#) == 1)
    #expect(await count(#""filter":"false","filter-lang":"cql2-json""#) == 0)
    #expect(await count(#""filter":false,"filter-lang":"cql2-json""#) == 0)
    let bad = await service.post(
      "/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":3,"filter":{"op":"="}}"#)
    bad.expectProblem(400, at: "/filter")
    #expect(bad.text.contains("at /args"))
  }
}
