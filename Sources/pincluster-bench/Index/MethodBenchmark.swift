import ClusterCore
import Glibc

/// Measures the methods without a grid over the whole world: the slowest of many viewports, answered and
/// refused.
struct MethodBenchmark {
  private let sample: PropertySample

  init(_ sample: PropertySample) { self.sample = sample }

  func run() throws {
    try measure("distance", distances())
    try measure("collision", collisions())
    try measure("collision by random priorities", collisions("priority"))
    try measure(
      "collision by them and 10 cluster keys", collisions("priority", "country"))
  }

  private func distances() -> [MethodRequest.Method] {
    [1, 30, 512].map { .distance(epsilon: $0) }
  }

  private func collisions(
    _ priorityBy: String? = nil, _ clusterBy: String? = nil
  ) -> [MethodRequest.Method] {
    [4, 40, 400].map { side in
      var markers = MethodRequest.Markers()
      (markers.width, markers.height) = (side, side)
      markers.priorityBy = priorityBy.map { Array($0.utf8) }
      markers.clusterBy = clusterBy.map { Array($0.utf8) }
      return .collision(markers)
    }
  }

  /// The zooms at which a phone and a screen show the world, and larger ones.
  private let zooms = [log2(375.0 / 256), log2(1500.0 / 256), 4, 5, 6, 7, 8, 10, 12, 16, 20, 24]

  private struct Slowest {
    var time = 0.0
    var zoom = 0.0
    var views = 0

    mutating func take(_ time: Double, _ zoom: Double) {
      views += 1
      if time > self.time { (self.time, self.zoom) = (time, zoom) }
    }
  }

  private func measure(_ name: String, _ methods: [MethodRequest.Method]) throws {
    var (answered, refused) = (Slowest(), Slowest())
    for zoom in zooms {
      let view = try TileViewport(
        rect: try Views.wholeWorld(), scale: .zoom(zoom), marginFactor: 0)
      for method in methods {
        let request = MethodRequest(viewport: view, method: method, keepApart: [], limit: 10_000)
        var result: ClusterResult?
        let time = median(3) { result = try? clusters(request) }
        guard let result else {
          refused.take(time, zoom)
          continue
        }
        answered.take(time, zoom)
        check(result, request)
      }
    }
    row(
      "\(name), slowest of \(answered.views) answers", duration(answered.time),
      "zoom \(rounded(answered.zoom))")
    row(
      "\(name), slowest of \(refused.views) refusals", duration(refused.time),
      "zoom \(rounded(refused.zoom))")
  }

  private func clusters(_ request: MethodRequest) throws -> ClusterResult {
    var markers = MarkerColumns()
    if case .collision(let sizes) = request.method {
      markers = MarkerColumns(
        priorities: sizes.priorityBy.map { sample.column(String(decoding: $0, as: UTF8.self)) },
        clusterKeys: sizes.clusterBy.map { sample.keys(String(decoding: $0, as: UTF8.self)) })
    }
    return try FeatureScope(sample.collection).clusters(request, markers: markers)
  }

  /// Checks that no feature is missing and that no two markers overlap unless both are required.
  private func check(_ result: ClusterResult, _ request: MethodRequest) {
    let shown = result.annotations.reduce(0) { $0 + $1.count }
    precondition(shown + (result.hiddenCount ?? 0) == sample.places.count, "features are missing")
    guard case .collision(let markers) = request.method else { return }
    let world = 256 * exp2(request.viewport.zoomLevel)
    let placed = result.annotations.map { annotation in
      let position = sample.index.position(at: annotation.first)
      return (
        x: Double(position.x) * 0x1p-32 * world, y: Double(position.y) * 0x1p-32 * world,
        isRequired: markers.priorityBy != nil
          && sample.sample(at: annotation.first).priority >= 1000
      )
    }
    // Positions are rounded, by far less than a thousandth of a point at these zooms.
    let (width, height) = (markers.width - 0.001, markers.height - 0.001)
    for (index, one) in placed.enumerated() {
      for other in placed[(index + 1)...] where abs(one.y - other.y) < height {
        let x = abs(one.x - other.x)
        precondition(
          min(x, world - x) >= width || (one.isRequired && other.isRequired), "markers overlap")
      }
    }
  }
}
