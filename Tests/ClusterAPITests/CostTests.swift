import ClusterCore
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI

/// What reads are estimated to cost, and what that decides.
@Suite(.timeLimit(.minutes(10))) struct CostTests {
  private static func request(_ target: String, _ body: String? = nil) -> HTTPRequest {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    return HTTPRequest(
      method: body == nil ? .get : .post, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
      headers: HTTPHeaders(body == nil ? [] : [(name: "Content-Type", value: "application/json")]),
      body: body.map { RequestBody(Array($0.utf8)) } ?? .empty)
  }

  /// Random reads of every kind about a feature.
  private static func reads(
    _ feature: TwinFeature, _ generator: inout SeededGenerator
  ) -> [(kind: String, request: HTTPRequest)] {
    let width = pow2(generator.double(-9...0)) * 360
    let west = max(feature.coordinate.longitude - width * generator.double(0...1), -180)
    let south = max(feature.coordinate.latitude - width / 2 * generator.double(0...1), -85)
    let bbox = "bbox=\(west),\(south),\(min(west + width, 180)),\(min(south + width / 2, 85))"
    let view = "/collections/c/clusters?\(bbox)&viewportWidth=\(generator.int(320...1600))"
    let cells = 1 << generator.int(2...12)
    let grid = CellGrid(cellsPerWorld: cells)
    let point = WebMercator.project(feature.coordinate)
    let annotation =
      "/collections/c/clusters/g\(cells)_60_\(grid.cell(of: point.x))_\(grid.cell(of: point.y))"
    let coordinate =
      "{\"latitude\":\(feature.coordinate.latitude),\"longitude\":\(feature.coordinate.longitude)}"
    let previous = (0..<generator.int(1...200)).map {
      "{\"id\":\"n\($0)\",\"coordinate\":\(coordinate)}"
    }
    let aggregate = "aggregate=%7B%22mean%22:%5B%22mean%22,%22population%22%5D%7D"
    return [
      ("plain", request(view)),
      ("filter", request("\(view)&filter=population%3E\(generator.int(0...900))")),
      ("groupBy", request("\(view)&groupBy=kind")),
      ("countBy", request("\(view)&countBy=kind")), ("aggregate", request("\(view)&\(aggregate)")),
      ("members", request("\(view)&members=\(generator.pick([1, 10, 100]))")),
      ("titles", request("\(view)&titleProperty=name&subtitleLimit=\(generator.int(1...100))")),
      ("decluster", request("\(view)&decluster=true&minPoints=\(generator.int(1...4))")),
      ("keepApart", request("\(view)&keepApart=1,2,3")), ("debug", request("\(view)&debug=true")),
      ("geojson", request("\(view)&f=geojson&properties=name")),
      ("fields", request("\(view)&fields=id,coordinate,count")),
      (
        "previous",
        request(
          "/collections/c/clusters",
          "{\"bbox\":[\(west),\(south),\(min(west + width, 180)),\(min(south + width / 2, 85))],"
            + "\"viewportWidth\":800,\"previous\":[\(previous.joined(separator: ","))]}")
      ),
      ("distance", request("\(view)&method=distance&epsilon=\(generator.int(10...80))")),
      ("collision", request("\(view)&method=collision")),
      ("items", request("/collections/c/items?limit=\(generator.int(1...10_000))")),
      (
        "items with some properties",
        request("/collections/c/items?limit=\(generator.int(1...10_000))&properties=name")
      ),
      (
        "bare items", request("/collections/c/items?properties=none&skipGeometry=true&limit=5000")
      ),
      ("table", request("/collections/c/items?f=csv&limit=\(generator.int(1...10_000))")),
      ("items of a bbox", request("/collections/c/items?\(bbox)&limit=10000")),
      ("pins", request("/collections/c/pins?\(bbox)&limit=10000")),
      ("annotation", request("\(annotation)?members=\(generator.pick([0, 10, 100]))")),
      ("its items", request("\(annotation)/items?limit=10000")),
      (
        "locate",
        request(
          "/collections/c/items/\(feature.id)/locate",
          "{\"latitudinalMeters\":\(generator.int(100...1_000_000)),\"longitudinalMeters\":1000,"
            + "\"viewportWidth\":390,\"viewportHeight\":844}")
      ),
    ]
  }

  private static func pow2(_ exponent: Double) -> Double {
    var (value, rest) = (1.0, exponent)
    while rest <= -1 { (value, rest) = (value / 2, rest + 1) }
    return value * (1 + rest / 2)
  }

  @Test func `the bytes of answers are within a factor of four of the estimates`() async throws {
    var generator = SeededGenerator(seed: 93)
    let service = try Service()
    let features = TwinFeature.cities(6000, towns: 200, using: &generator).enumerated().map {
      var feature = $1
      feature.properties =
        "{\"name\":\"city \($0)\",\"population\":\($0 * 37 % 1001),\"kind\":\"k\($0 % 5)\"}"
      return feature
    }
    await service.store(features)
    // What isn't known before it is read can't be estimated.
    for property in ["population", "kind", "name"] {
      _ = await service.get("/collections/c/clusters?bbox=0,0,1,1&zoom=3&groupBy=\(property)")
      _ = await service.get("/collections/c/clusters?bbox=0,0,1,1&zoom=3&countBy=\(property)")
    }
    var (estimated, kinds): (Int, Set<String>) = (0, [])
    var wrong: [String] = []
    for _ in 0..<8 {
      for (kind, request) in CostTests.reads(generator.pick(features), &generator) {
        guard let cost = try service.api.cost(of: request) else { continue }
        let body = await withCheckedContinuation { continuation in
          service.api.handle(request) {
            continuation.resume(returning: $0.status == 200 ? $0.body.count : 0)
          }
        }
        if body == 0 { continue }
        estimated += 1
        kinds.insert(kind)
        let quotient = cost.bytes / Double(body)
        if !(0.25...4).contains(quotient) {
          wrong.append("\(kind): \(Int(cost.bytes)) for \(body), \(request.target.prefix(160))")
        }
      }
    }
    #expect(estimated > 110 && kinds.count == 24)
    #expect(wrong.count * 50 <= estimated, "\(wrong.joined(separator: "\n"))")
  }

  @Test func `large answers are made elsewhere, small ones where the request came`() async throws {
    var generator = SeededGenerator(seed: 94)
    let service = try Service()
    await service.store(TwinFeature.cities(9000, using: &generator))
    let previous = (0..<2000).map {
      "{\"id\":\"n\($0)\",\"coordinate\":{\"latitude\":1,\"longitude\":2}}"
    }
    let body = { (count: Int) in
      "{\"bbox\":[1,2,3,4],\"zoom\":9,\"previous\":[\(previous.prefix(count).joined(separator: ","))]}"
    }
    for (request, isHere) in [
      (CostTests.request("/collections/c/clusters?bbox=1,2,3,4&zoom=8"), true),
      (CostTests.request("/collections/c/items?limit=10"), true),
      (CostTests.request("/collections/c/items"), false),
      (CostTests.request("/collections/c/items?limit=9000"), false),
      (CostTests.request("/collections/c/items?limit=1&f=csv"), false),
      (CostTests.request("/collections/c/clusters?bbox=-180,-80,180,80&zoom=5&members=100"), false),
      (CostTests.request("/collections/c/clusters", body(3)), true),
      (CostTests.request("/collections/c/clusters", body(2000)), false),
    ] {
      // Afterwards more may be known.
      let lane = try service.api.cost(of: request)?.lane
      let done = Locked(false)
      let (isSame, status) = await withCheckedContinuation { continuation in
        service.api.handle(request) { response in
          // While `handle` runs, the reply can only be here if it is on the same thread.
          continuation.resume(returning: (!done.withLock { $0 }, response.status))
        }
        done.withLock { $0 = true }
      }
      #expect(status == 200)
      if isHere { #expect(isSame, "\(request.target)") }
      if !isHere {
        #expect(lane != nil || request.body.count > 65_536)
      }
    }
  }
}
