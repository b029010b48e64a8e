import ClusterCore
import TestSupport
import Testing

/// `locate`: the view in which a feature is found.
@Suite(.timeLimit(.minutes(10))) struct LocateTests {
  @Test(arguments: TwinDataset.allCases)
  func `a feature is found where the twin finds it`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 341, count: 90))
    var generator = SeededGenerator(seed: 342)
    var found = 0
    for _ in 0..<6 {
      let one = generator.pick(pair.twin.placed)
      // Near the poles a rect leaves the world, and the contract leaves its edges open.
      guard one.feature.coordinate.latitude.magnitude < 70 else { continue }
      var settings = TwinRequest.random(over: pair.twin, using: &generator)
      settings.varyStatistics(over: pair.twin, using: &generator)
      settings.varyGroups(using: &generator)
      (settings.keepApart, settings.marginFactor) = ([], 0.5)
      settings.cellSize = max(settings.cellSize, 32)
      let method = generator.pick(TwinRequest.Method.allCases)
      if method != .grid { settings.use(method, using: &generator) }
      let metres = generator.pick([40, 900.5, 30_000, 400_000])
      let locate = TwinLocate(
        meters: (metres, metres * generator.pick([0.3, 1, 2.5])),
        points: generator.pick([(390, 800), (1024, 768.5), (300, 300)]))
      if await check(one, locate, settings, pair) { found += 1 }
    }
    #expect(found > 0 || data == .edges)
  }

  /// Whether the feature passes the filter.
  private func check(
    _ one: Twin.Placed, _ locate: TwinLocate, _ settings: TwinRequest, _ pair: Paired
  ) async -> Bool {
    let body = locate.json(settings).text
    let id = TwinRequest.percentEncoded(one.feature.id.description)
    let answer = await pair.service.post("/collections/c/items/\(id)/locate", body)
    let comment: Comment = "\(id): \(body)"
    guard settings.filter?.passes(one.value) ?? true else {
      answer.expectProblem(404, at: nil, "\(comment)")
      return false
    }
    let request = locate.request(about: one, settings)
    let outcome = Result { () throws(TwinRefusal) in
      let zoom = try locate.standaloneZoom(of: one, in: pair.twin, settings)
      return (try pair.twin.cluster(request), zoom)
    }
    guard case .success(let (wanted, zoom)) = outcome else {
      Issue.record("\(outcome) — \(comment)")
      return false
    }
    #expect(answer.status == 200, comment)
    let (rect, got) = (locate.rect(about: one), answer["visibleMapRect"])
    for (name, want) in [
      ("x", rect.x), ("y", rect.y), ("width", rect.width), ("height", rect.height),
    ] {
      #expect(abs((got?[name]?.double ?? .nan) - want) < 1e-3, "\(name) — \(comment)")
    }
    let west = rect.x / Twin.worldSize * 360 - 180
    let east = (rect.x + rect.width) / Twin.worldSize * 360 - 180
    let (north, south) = (
      Twin.unproject(x: 0, y: rect.y).latitude,
      Twin.unproject(x: 0, y: rect.y + rect.height).latitude
    )
    for (side, want) in [west, south, east, north].enumerated() {
      #expect(abs((answer["bbox"]?[side]?.double ?? .nan) - want) < 1e-6, comment)
    }
    #expect(abs((answer["zoomLevel"]?.double ?? .nan) - wanted.grid.zoomLevel) < 1e-9, comment)
    if let holder = wanted.annotations.first(where: { $0.holds(one.feature.id) }) {
      #expect(holder.differences(from: answer["annotation"] ?? .null) == [], comment)
    } else {
      #expect(answer["annotation"] == .null, comment)
    }
    #expect(answer["standaloneZoom"] == zoom.map { .number(String($0)) } ?? .null, comment)
    return true
  }

  private static let whole =
    #""latitudinalMeters":1000,"longitudinalMeters":1000,"viewportWidth":400,"viewportHeight":300"#

  @Test func `what locate must be given`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"a\":1}")])
    let path = "/collections/c/items/1/locate"
    #expect(await service.post(path, "{\(Self.whole)}").status == 200)
    for name in [
      "latitudinalMeters", "longitudinalMeters", "viewportWidth", "viewportHeight",
    ] {
      let rest = Self.whole.split(separator: ",").filter { !$0.contains(name) }
      func body(_ value: String) -> String {
        "{" + (rest + ["\"\(name)\":\(value)"]).joined(separator: ",") + "}"
      }
      (await service.post(path, "{\(rest.joined(separator: ","))}"))
        .expectProblem(400, at: "/\(name)")
      for value in ["null", "\"5\"", "[]"] {
        (await service.post(path, body(value))).expectProblem(400, at: "/\(name)")
      }
      for value in ["0", "-1"] {
        (await service.post(path, body(value))).expectProblem(422, at: "/\(name)")
      }
    }
    for field in [
      "\"bbox\":[0,0,1,1]", "\"region\":{}", "\"visibleMapRect\":{}", "\"zoom\":3", "\"limit\":5",
      "\"previous\":[]", "\"zooom\":3",
    ] {
      let name = field.prefix { $0 != ":" }.filter { $0 != "\"" }
      (await service.post(path, "{\(Self.whole),\(field)}")).expectProblem(400, at: "/\(name)")
    }
    for id in ["2", "no", "%01"] {
      (await service.post("/collections/c/items/\(id)/locate", "{\(Self.whole)}"))
        .expectProblem(404)
    }
    (await service.post("/collections/none/items/1/locate", "{\(Self.whole)}")).expectProblem(404)
    (await service.get(path)).expectProblem(405)
    let out = await service.post(path, "{\(Self.whole),\"filter\":\"a > 1\"}")
    out.expectProblem(404)
    #expect(await service.post(path, "{\(Self.whole),\"filter\":\"a = 1\"}").status == 200)
  }

  @Test func `a rect across the antimeridian is not wrapped`() async throws {
    let service = try await Service([
      TwinFeature(1, -179.9, 0), TwinFeature(2, 179.9, 0), TwinFeature(3, 179.9, 0),
    ])
    let body =
      #"{"latitudinalMeters":90000,"longitudinalMeters":90000,"viewportWidth":400,"viewportHeight":400}"#
    let answer = await service.post("/collections/c/items/1/locate", body)
    #expect(answer["visibleMapRect"]?["x"]?.double ?? 0 < 0)
    #expect(answer["bbox"]?[0]?.double ?? 0 < -180)
    #expect(answer["annotation"]?.count == 1 && answer["annotation"]?["feature"]?["id"]?.int == 1)
    let same = await service.post("/collections/c/items/3/locate", body)
    #expect(same["standaloneZoom"] == .null && same["annotation"]?.count == 2)
    #expect(same["bbox"]?[2]?.double ?? 0 > 180)
  }
}
