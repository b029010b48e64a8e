import ClusterCore
import TestSupport
import Testing

/// `near`: the nearest features first, against a look at all of them.
@Suite(.timeLimit(.minutes(10))) struct NearTests {
  @Test(arguments: Seeds.each(841...842))
  func `the nearest come first, each with its distance`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let features = TwinGlobe.places(1300, using: &generator).enumerated().map {
      TwinFeature(
        id: FeatureID(known: $0.offset), coordinate: $0.element,
        properties: "{\"k\":\($0.offset % 7)}")
    }
    let service = try await Service(features)
    // The features in index order.
    let order = await service.get("/collections/c/items?limit=2000").ids
    let byID = Dictionary(uniqueKeysWithValues: features.map { ($0.idJSON.text, $0) })
    let all = order.compactMap { byID[$0] }
    for _ in 0..<60 {
      let origin = TwinGlobe.places(1, using: &generator)[0]
      let limit = generator.pick([0, 1, 10, 200, 5000])
      let narrowings: [(String, (TwinFeature) -> Bool)] = [
        ("", { _ in true }), ("&k=3", { $0.property("k")?.int == 3 }),
        ("&filter=k%20%3C%200", { _ in false }),
        ("&ids=5,6,7,1200", { ["5", "6", "7", "1200"].contains($0.idJSON.text) }),
        (
          "&bbox=-180,0,180,90&filter=k%3E4",
          { $0.coordinate.latitude >= 0 && ($0.property("k")?.int ?? 0) > 4 }
        ),
      ]
      let (query, passes) = generator.pick(narrowings)
      let target =
        "/collections/c/items?near=\(origin.longitude),\(origin.latitude)&limit=\(limit)\(query)"
      let answer = await service.get(target)
      let distance = GlobeDistance(from: origin)
      let passing = all.filter(passes)
      // Of the same distance, in index order: each key comes with its place.
      let keys: [(metres: Double, place: Int)] = passing.indices.map {
        (distance.metres(to: passing[$0].coordinate), $0)
      }
      let nearest = keys.sorted { $0 < $1 }.prefix(limit)
      let ids: [String] = nearest.map { passing[$0.place].idJSON.text }
      #expect(answer.ids == ids, "\(target)")
      #expect(answer["numberMatched"]?.int == passing.count && answer.next == nil)
      let told = answer["features"]?.array?.map { $0["distance"]?.double }
      #expect(told == nearest.map(\.metres), "\(target)")
      for (metres, place) in nearest {
        let twin = TwinGlobe.metres(origin, passing[place].coordinate)
        #expect((twin - metres).magnitude < 1e-6)
      }
    }
  }

  @Test func `what it doesn't go with, and what is no place`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 2, 4)])
    for (query, status, field) in [
      ("near=1", 400, "near"), ("near=1,2,3", 400, "near"), ("near=a,b", 400, "near"),
      ("near=181,2", 422, "near"), ("near=1,90.5", 422, "near"),
    ] {
      (await service.get("/collections/c/items?\(query)")).expectProblem(status, at: field)
    }
    for (query, other) in [("near=1,2&offset=0", "offset"), ("sortby=-k&near=1,2", "sortby")] {
      let answer = await service.get("/collections/c/items?\(query)")
      #expect(answer.status == 400)
      let named = answer["errors"]?.array?.map { $0["pointer"]?.string }
      #expect(named == ["near", other])
    }
    let plain = await service.get("/collections/c/items")
    #expect(plain["features"]?.array?.allSatisfy { $0["distance"] == nil } == true)
    let table = await service.get("/collections/c/items?near=2,4&f=csv&properties=none")
    #expect(table.text.hasPrefix("id,longitude,latitude,distance\r\n2,2,4,0\r\n1,2,3,"))
    let page = await service.get("/collections/c/items?near=2,4&f=html")
    #expect(page.status == 200)
    let away = Int(
      GlobeDistance(from: Coordinate(latitude: 4, longitude: 2))
        .metres(to: Coordinate(latitude: 3, longitude: 2)).rounded())
    #expect(page.text.contains(">Metres away</th>") && page.text.contains(">0</td>"))
    #expect(page.text.contains(">\(away)</td>"))
  }

  @Test func `only what is there is near`() async throws {
    let service = try await Service(
      (0..<40).map { TwinFeature($0, Double($0), 0, "{\"k\":\($0 % 2)}") })
    #expect(await service.send(.delete, "/collections/c/items/10").status == 204)
    let answer = await service.get("/collections/c/items?near=10.2,0&limit=3")
    #expect(answer.ids == ["11", "9", "12"])
  }

  @Test func `an answer that is full says so`() async throws {
    let service = try Service()
    let text = "{\"t\":\"\(String(repeating: "x", count: 9000))\"}"
    await service.store((1...1100).map { TwinFeature($0, Double($0) / 10, 0, text) })
    for (query, isFull) in [
      ("limit=1100", true), ("limit=500", false), ("limit=1100&properties=none", false),
    ] {
      let answer = await service.get("/collections/c/items?near=0,0&\(query)")
      let count = try #require(answer["numberReturned"]?.int)
      let notes = answer["notes"]?.array?.compactMap(\.string) ?? []
      #expect(
        notes.contains { $0.hasPrefix("the nearest \(count) of the 1100 asked for") } == isFull)
      #expect((count < 1100) == (isFull || query == "limit=500"))
    }
  }
}
