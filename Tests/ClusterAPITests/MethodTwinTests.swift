import ClusterCore
import TestSupport
import Testing

/// Distance and collision, against their definitions.
@Suite(.timeLimit(.minutes(10))) struct MethodTwinTests {
  @Test(arguments: TwinDataset.allCases, [TwinRequest.Method.distance, .collision])
  func `views are those of the twin`(data: TwinDataset, method: TwinRequest.Method) async throws {
    let pair = try await Paired(data.features(seed: 331, count: 170))
    var generator = SeededGenerator(seed: 332)
    var names = TwinNames()
    var answered = 0
    for round in 0..<12 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      request.use(method, using: &generator)
      let comment: Comment = "\(data), round \(round): \(request.json.text)"
      guard let (answer, wanted) = await pair.view(request, comment) else { continue }
      answered += 1
      #expect(names.learn(answer.json, wanted) == [], comment)
      let shown = answer.annotations.reduce(0) { $0 + $1.count }
      let hidden = answer["hiddenCount"]?.int ?? 0
      #expect(shown + hidden == answer["featureCount"]?.int, comment)
      if method == .collision { expectRoom(wanted, request, answer, pair.twin, comment) }
    }
    #expect(answered > 6)
  }

  /// Sizes of which the distances of places on grid lines are multiples: boxes that touch don't overlap, also where one
  /// is at the edge of the world.
  @Test(arguments: [TwinDataset.mixed, .gridLines, .edges])
  func `boxes that touch exactly`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 335, count: 170))
    for zoom in [0.0, 1, 2] {
      for step in [TwinZoomStep.finest, TwinZoomStep(1, 1)] {
        var request = TwinRequest(
          .bbox(west: -180, south: -85, east: 180, north: 85), .zoom(zoom))
        (request.method, request.clusterBy, request.zoomStep) = (.collision, "kind", step)
        #expect(await pair.view(request, "\(data) at \(zoom)") != nil)
      }
    }
  }

  /// No two boxes overlap unless both are required or kept apart.
  private func expectRoom(
    _ wanted: TwinAnswer, _ request: TwinRequest, _ answer: Answer, _ twin: Twin,
    _ comment: Comment
  ) {
    let size = request.markerSize ?? TwinMarkerSize(40, 40)
    let scale = wanted.grid.scale
    let placed = Dictionary(uniqueKeysWithValues: twin.placed.map { ($0.feature.id, $0) })
    let boxes = zip(answer.annotations, wanted.annotations).compactMap {
      one, twin -> (
        x: Double, y: Double, isFree: Bool
      )? in
      guard case .feature(let id) = twin.kind, let first = placed[id],
        let coordinate = TwinPrevious(answered: one)?.coordinate
      else { return nil }
      let priority = request.priorityBy.flatMap { first.value($0)?.double } ?? 500
      let isFree = priority >= 1000 || request.keepApart.contains(id)
      let (x, y) = Twin.project(coordinate)
      return (x, y, isFree)
    }
    #expect(boxes.count == answer.annotations.count, comment)
    for (index, a) in boxes.enumerated() {
      for b in boxes[..<index] where !(a.isFree && b.isFree) {
        let dx = (a.x - b.x).magnitude
        let isOver =
          min(dx, Twin.worldSize - dx) < size.width * scale
          && (a.y - b.y).magnitude < size.height * scale
        #expect(!isOver, comment)
      }
    }
  }

  @Test(arguments: [TwinDataset.cities, .antimeridian, .mixed])
  func `the address of an annotation leads to what it holds`(data: TwinDataset) async throws {
    let pair = try await Paired(data.features(seed: 333, count: 120))
    var generator = SeededGenerator(seed: 334)
    for round in 0..<6 {
      var request = TwinRequest.random(over: pair.twin, using: &generator)
      request.varyStatistics(over: pair.twin, using: &generator)
      request.use(round % 2 == 0 ? .distance : .collision, using: &generator)
      request.limit = 10_000
      guard let wanted = try? pair.twin.cluster(request) else { continue }
      let view = await pair.service.post("/collections/c/clusters", request.json.text)
      #expect(view.annotations.count == wanted.annotations.count)
      for (one, twin) in zip(view.annotations, wanted.annotations).prefix(8) {
        await check(one, twin, request, zoomLevel: wanted.grid.zoomLevel, pair)
      }
      for one in wanted.hidden.prefix(3) where !one.id.isWrittenAsText {
        (await pair.service.get("/collections/c/clusters/n\(one.id)?\(request.query)"))
          .expectProblem(404)
      }
    }
  }

  private func check(
    _ one: TestJSON, _ twin: TwinAnnotation, _ request: TwinRequest, zoomLevel: Double,
    _ pair: Paired
  ) async {
    let path = "/collections/c/clusters/\(one["id"]?.string ?? "")"
    let comment: Comment = "\(path)?\(request.query)"
    let answer = await pair.service.get("\(path)?\(request.query)")
    #expect(answer.status == 200, comment)
    for member in one.members ?? [] { #expect(answer[member.key] == member.value, comment) }
    let items = await pair.service.get("\(path)/items?limit=10000&\(Self.unlimited(request))")
    #expect(items.ids == twin.features.map(\.idJSON.text), comment)
    // Whether -1 is a zoom to expand to the contract leaves open.
    guard zoomLevel >= -1 else { return }
    var alone = request
    alone.keepApart = []
    let zoom = (0...24).first { zoom in
      Double(zoom) > zoomLevel
        && Twin.joined(twin.features, zoomLevel: Double(zoom), alone).count > 1
    }
    #expect(answer["expansionZoom"] == zoom.map { .number(String($0)) } ?? .null, comment)
    let children = await pair.service.get("\(path)/children?\(request.query)")
    guard let zoom else {
      // Each feature is a pin.
      #expect(children["zoomLevel"]?.double == 24, comment)
      #expect(children.annotations.allSatisfy { $0["count"]?.int == 1 }, comment)
      let pins = children.annotations.map { $0["feature"]?["id"]?.text ?? "" }
      #expect(pins.sorted() == twin.features.map(\.idJSON.text).sorted(), comment)
      return
    }
    let finer = Twin.joined(twin.features, zoomLevel: Double(zoom), alone)
    #expect(children.annotations.map(\.count) == finer.map(\.count), comment)
    #expect(children.annotations.reduce(0) { $0 + $1.count } == twin.count, comment)
    for (child, want) in zip(children.annotations, finer) {
      #expect(want.differences(from: child) == [], comment)
    }
  }

  private static func unlimited(_ request: TwinRequest) -> String {
    TwinRequest.query(request.json.without(["limit"]))
  }

  /// A view of the whole world at zoom 0, where a point is W/256.
  private func world(_ features: [TwinFeature], _ more: String) async throws -> Answer {
    let service = try await Service(features)
    let answer = await service.post(
      "/collections/c/clusters", #"{"bbox":[-180,-85,180,85],"zoom":0,\#(more)}"#)
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer["gridRect"]?["width"]?.double == Twin.worldSize)
    return answer
  }

  @Test func `links end where they are said to, also across the antimeridian`() async throws {
    // 45° are 32 points; 170 and −145 are as far apart.
    let features = [
      TwinFeature(1, 0, 0), TwinFeature(2, 45, 0), TwinFeature(3, 90.000_001, 0),
      TwinFeature(4, 170, 0), TwinFeature(5, -145, 0),
    ]
    let answer = try await world(features, #""method":"distance","epsilon":32"#)
    #expect(answer["cellMapSize"] == .null && answer["cellsPerWorld"] == .null)
    let counts = answer.annotations.map { ($0["id"]?.string, $0.count) }
    let wanted = Twin.indexOrder(features).map(\.id.description)
    #expect(counts.map(\.1).sorted() == [1, 2, 2] && counts.count == 3)
    let over = answer.annotations.first { $0["bbox"]?[0]?.double == 170 }
    #expect(over?["bbox"]?[2]?.double == -145 && over?.count == 2)
    #expect(over?.isCoordinate(of: .init(latitude: 0, longitude: -167.5), within: 1e-7) == true)
    // An id names the first feature in index order.
    let first = wanted.first { ["4", "5"].contains($0) } ?? ""
    #expect(over?["id"]?.string == "n\(first)")
  }

  @Test func `boxes that touch do not overlap, and the required stay`() async throws {
    // Markers of 32 points, 45° wide.
    let touching = [TwinFeature(1, 0, 0), TwinFeature(2, 45, 0), TwinFeature(3, 89.999_999, 0)]
    var answer = try await world(touching, #""method":"collision","markerSize":[32,32]"#)
    #expect(answer.annotations.map(\.count) == [1, 1] && answer["hiddenCount"]?.int == 1)
    func stack(_ priorities: [(Int, String)]) -> [TwinFeature] {
      priorities.map { TwinFeature($0, 10, 10, "{\"p\":\($1),\"k\":\"x\"}") }
    }
    let features = stack([(1, "1"), (2, "1000"), (3, "\"1000\""), (4, "2000"), (5, "999.9")])
    answer = try await world(features, #""method":"collision","priorityBy":"p""#)
    #expect(answer.annotations.map { $0["feature"]?["id"]?.int } == [2, 4])
    #expect(answer["hiddenCount"]?.int == 3 && answer["featureCount"]?.int == 5)
    answer = try await world(
      features, #""method":"collision","priorityBy":"p","clusterBy":"k","members":9"#)
    #expect(answer.annotations.map(\.count) == [5] && answer["hiddenCount"]?.int == 0)
    #expect(answer.annotations.first?["id"] == "n2")
    answer = try await world(
      features, #""method":"collision","priorityBy":"p","clusterBy":"k","keepApart":[1]"#)
    // The kept-apart one takes nobody in, and all others overlap it: the required are placed.
    #expect(answer.annotations.map(\.count) == [1, 4] && answer["hiddenCount"]?.int == 0)
  }
}
