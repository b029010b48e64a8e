import ClusterCore
import TestSupport
import Testing

/// `previous`: the map keeps still, against the brute force.
@Suite(.timeLimit(.minutes(10))) struct AnnotationReuseTests {
  /// A view twice, with something changed in between, and what is told.
  private struct Screen {
    let pair: Paired
    var names = TwinNames()
    private(set) var previous: [TwinPrevious] = []
    private(set) var reused = 0
    private var moves = 0

    init(_ pair: Paired) { self.pair = pair }

    /// Looks at a view with nothing on screen. False where it is refused.
    mutating func begin(_ request: TwinRequest, _ comment: Comment) async -> Bool {
      var request = request
      request.previous = nil
      let answer = await pair.service.post("/collections/c/clusters", request.json.text)
      guard let wanted = try? pair.twin.cluster(request) else {
        #expect(answer.status == 422, comment)
        return false
      }
      #expect(wanted.differences(from: answer.json) == [], comment)
      #expect(answer["changes"] == nil, comment)
      #expect(answer.annotations.allSatisfy { $0["reuses"] == nil }, comment)
      #expect(names.learn(answer.json, wanted) == [], comment)
      previous = answer.annotations.compactMap { TwinPrevious(answered: $0) }
      return true
    }

    /// Puts something else on screen.
    mutating func replace(_ change: (inout [TwinPrevious]) -> Void) { change(&previous) }

    /// Looks at another with what is on screen, over the features of today.
    mutating func move(
      to next: TwinRequest, over today: Paired, _ comment: Comment
    ) async -> Answer? {
      var request = next
      request.previous = previous
      let path = "/collections/c/clusters"
      let answer = await today.service.post(path, request.json.text)
      guard let plain = try? today.twin.cluster(request) else {
        #expect(answer.status == 422, comment)
        return nil
      }
      guard answer.status == 200 else {
        Issue.record("\(answer.text) — \(comment)")
        return nil
      }
      #expect(names.learn(answer.json, plain) == [], comment)
      let ids = answer.annotations.map { $0["id"]?.string ?? "" }
      guard ids.count == plain.annotations.count else {
        Issue.record("\(ids.count) annotations, not \(plain.annotations.count) — \(comment)")
        return nil
      }
      let reuse = TwinReuse(
        plain, ids: ids, previous: previous, names: names,
        over: today.twin.filtered(by: request.filter))
      #expect(reuse.applied(to: plain).differences(from: answer.json) == [], comment)
      #expect(reuse.differences(from: answer.json) == [], comment)
      expectEveryOneOnce(answer, ids, comment)
      moves += 1
      if moves % 2 == 0 {
        let get = await today.service.get("\(path)?\(request.query)")
        #expect(get.text == answer.text, comment)
      } else {
        let map = await today.service.post("\(path)?f=geojson", request.json.text)
        #expect(map.carries(answer), comment)
      }
      reused += reuse.taken.compactMap(\.self).count
      previous = answer.annotations.compactMap { TwinPrevious(answered: $0) }
      return answer
    }

    /// Removed and kept are all that was there, kept and added all that is.
    private func expectEveryOneOnce(_ answer: Answer, _ ids: [String], _ comment: Comment) {
      let changes = answer["changes"]
      let kept = changes?["kept"]?.array ?? []
      let gone = (changes?["removed"]?.array ?? []) + kept.compactMap { $0[0] }
      let here = (changes?["added"]?.array ?? []) + kept.compactMap { $0[1] }
      #expect(gone.compactMap(\.string).sorted() == previous.map(\.id).sorted(), comment)
      #expect(here.compactMap(\.string).sorted() == ids.sorted(), comment)
    }
  }

  private func request(
    over twin: Twin, using generator: inout SeededGenerator
  ) -> TwinRequest {
    var request = TwinRequest.random(over: twin, using: &generator)
    request.varyStatistics(over: twin, using: &generator)
    (request.cellSize, request.limit) = (max(request.cellSize, 32), 10_000)
    request.varyGroups(using: &generator)
    // Lone dots by the hundred say nothing and take long.
    if generator.chance(0.6) { request.rect = .bbox(west: -180, south: -85, east: 180, north: 85) }
    if case .bbox = request.rect { request.scale = .zoom(Double(generator.int(0...4))) }
    return request
  }

  @Test(arguments: TwinDataset.allCases)
  func `a view with its own answer on screen changes nothing`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 321, count: 140))
    var generator = SeededGenerator(seed: 322)
    var looked = 0
    for round in 0..<6 {
      var request = request(over: pair.twin, using: &generator)
      let method = generator.pick(TwinRequest.Method.allCases)
      if method != .grid { request.use(method, using: &generator) }
      let comment: Comment = "\(data), round \(round): \(request.json.text)"
      var screen = Screen(pair)
      guard await screen.begin(request, comment) else { continue }
      let before = screen.previous
      guard let answer = await screen.move(to: request, over: pair, comment) else { continue }
      looked += 1
      #expect(answer["changes"]?["removed"] == [], comment)
      #expect(answer["changes"]?["added"] == [], comment)
      let kept = before.map { TestJSON.array([.string($0.id), .string($0.id)]) }
      #expect(answer["changes"]?["kept"] == .array(kept), comment)
      #expect(screen.previous.map(\.coordinate) == before.map(\.coordinate), comment)
    }
    #expect(looked > 2)
  }

  @Test(arguments: TwinDataset.allCases)
  func `zooming and panning reuse what the twin says`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 323, count: 140))
    var generator = SeededGenerator(seed: 324)
    var reused = 0
    for round in 0..<4 {
      var request = request(over: pair.twin, using: &generator)
      let method = generator.pick([.grid, .grid] + TwinRequest.Method.allCases)
      if method != .grid { request.use(method, using: &generator) }
      var zoom = Double(generator.int(0...6))
      let centre = generator.pick(pair.twin.placed)
      func view(_ request: TwinRequest, zoom: Double, at x: Double) -> TwinRequest {
        var request = request
        let size = 600 * Twin.worldSize / (256 * Double(1 << Int(zoom)))
        request.rect = .mapRect(x: x - size / 2, y: centre.y - size / 2, width: size, height: size)
        request.scale = .zoom(zoom)
        return request
      }
      var screen = Screen(pair)
      var (x, step) = (centre.x, 0)
      guard await screen.begin(view(request, zoom: zoom, at: x), "\(data), \(round)") else {
        continue
      }
      for move in [1, 0, -1, 2] as [Double] {
        step += 1
        if move == 0 { x += 150 * Twin.worldSize / (256 * Double(1 << Int(zoom))) }
        zoom = max(0, zoom + move)
        if generator.chance(0.2) { request.clusterer = .centerOfMass }
        let next = view(request, zoom: zoom, at: x)
        let comment: Comment = "\(data), round \(round), step \(step): \(next.json.text)"
        // Ids of another annotation, of none, and an old one that is somewhere else.
        screen.replace { previous in
          previous.append(TwinPrevious("nothing\(step)", centre.feature.coordinate))
          if !previous.isEmpty, generator.chance(0.3) { previous.swapAt(0, previous.count - 1) }
          if previous.count > 2, generator.chance(0.3) {
            previous[1].coordinate = centre.feature.coordinate
          }
        }
        _ = await screen.move(to: next, over: pair, comment)
      }
      reused += screen.reused
    }
    #expect(reused > 0)
  }

  @Test(arguments: [TwinDataset.cities, .coincident, .antimeridian, .mixed])
  func `data that come and go between two requests`(data: TwinDataset) async throws {
    let features = data.features(seed: 325, count: 140)
    var generator = SeededGenerator(seed: 326)
    for round in 0..<4 {
      // Before: a part of it, some of it elsewhere and in other groups.
      var before = features.filter { _ in generator.chance(0.8) }
      for index in before.indices where generator.chance(0.1) {
        before[index].properties = features[generator.int(0...features.count - 1)].properties
        if generator.chance(0.5) {
          before[index].coordinate = features[generator.int(0...features.count - 1)].coordinate
        }
      }
      let (old, new) = (try await Paired(before), try await Paired(features))
      for _ in 0..<3 {
        var request = request(over: old.twin, using: &generator)
        let method = generator.pick(TwinRequest.Method.allCases)
        if method != .grid { request.use(method, using: &generator) }
        let comment: Comment = "\(data), round \(round): \(request.json.text)"
        var screen = Screen(old)
        guard await screen.begin(request, comment) else { continue }
        // Another filter or method, too: what an id holds is told by this request.
        if generator.chance(0.3) { request.filter = nil }
        if generator.chance(0.2) { request.use(.distance, using: &generator) }
        _ = await screen.move(to: request, over: new, comment)
      }
    }
  }

  @Test func `what previous must be`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 50, 3)])
    let here = #""coordinate":{"latitude":3,"longitude":2}"#
    for (previous, status) in [
      ("5", 400), ("{}", 400), ("[5]", 400), ("[{}]", 400), ("[{\"id\":\"n1\"}]", 400),
      ("[{\(here)}]", 400), ("[{\"id\":1,\(here)}]", 400), ("[null]", 400),
      ("[{\"id\":\"n1\",\"coordinate\":[3,2]}]", 400),
      ("[{\"id\":\"n1\",\"coordinate\":{\"latitude\":3}}]", 400),
      ("[{\"id\":\"n1\",\"coordinate\":{\"latitude\":3,\"longitude\":\"2\"}}]", 400),
      ("[{\"id\":\"n1\",\(here)},{\"id\":\"n1\",\(here)}]", 422),
      ("[{\"id\":\"no\",\(here)},{\"id\":\"n2\",\(here)},{\"id\":\"no\",\(here)}]", 422),
      (
        "[" + (0...10_000).map { "{\"id\":\"n\($0)\",\(here)}" }.joined(separator: ",") + "]", 422
      ),
    ] {
      let body = "{\"bbox\":[0,0,9,9],\"zoom\":3,\"previous\":\(previous)}"
      (await service.post("/collections/c/clusters", body))
        .expectProblem(status, at: "/previous", String(previous.prefix(100)))
      let query = TwinRequest.percentEncoded(previous)
      (await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3&previous=\(query)"))
        .expectProblem(status, at: "previous", String(previous.prefix(100)))
    }
    (await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3&previous=%5B"))
      .expectProblem(400, at: "previous")
    // Other members are ignored, whatever they hold.
    let body =
      "{\"bbox\":[0,0,9,9],\"zoom\":3,\"previous\":[{\"a\":[{}],\"id\":\"?\",\"count\":null,\(here)}]}"
    let answer = await service.post("/collections/c/clusters", body)
    #expect(answer["changes"]?["removed"] == ["?"] && answer["changes"]?["kept"] == [])
    #expect(answer["changes"]?["added"]?.array?.count == answer.annotations.count)
    let empty = await service.post(
      "/collections/c/clusters", "{\"bbox\":[0,0,9,9],\"zoom\":3,\"previous\":[]}")
    #expect(empty["changes"]?["added"]?.array?.count == 1)
  }
}
