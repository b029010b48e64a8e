import ClusterCore
import Glibc
import HTTPServer
import Texts

/// Measures viewports in process and encoded over a large collection, most of them beside the plain view of the same
/// rectangle.
struct ViewBenchmark {
  let service: InProcess
  let count: Int
  var synthetic = Synthetic(seed: 14)

  /// Opens a data directory that holds the collection `c`, with ids from 1 on.
  init(directory: String) throws {
    service = try InProcess(directory: directory)
    count = try service.body("/collections/c").sum(of: "\"featureCount\":")
  }

  // MARK: The whole world

  /// The target of the world in a grid of `side` cells a row.
  static func world(_ collection: String, side: Int, cellSize: Double = 60) -> String {
    let zoom = (log2(Double(side) * cellSize / 256) * 1000).rounded(.up) / 1000
    return "/collections/\(collection)/clusters?bbox=-180,-85.06,180,85.06&zoom=\(zoom)"
      + "&cellSize=\(cellSize)&marginFactor=0&properties=none"
  }

  /// Measures the world in about 900 cells: new grids, repeated ones, and beside what encoding alone takes.
  func world() throws {
    let sides = 27...33
    // So that the first grid is not also the first request.
    _ = try service.body(ViewBenchmark.world("c", side: 20))
    let first = try sides.map { try wall("c", side: $0, rounds: 1) }
    let again = try sides.map { try wall("c", side: $0, rounds: 21) }
    row(
      "world in 729 to 1,089 cells, a new grid, worst of 7", duration(first.max() ?? 0),
      "median \(duration(first.median))")
    let side = 30
    let annotations = try copyCells(side: side)
    _ = try wall("bench-cells", side: side, rounds: 3)
    // The closest to encoding alone is clustering a collection of two features a cell, cached or new,
    // whichever is faster.
    let encoded = min(
      try wall("bench-cells", side: side, rounds: 21),
      try (1...21).map {
        try wall("bench-cells", side: side, cellSize: 60 + Double($0) / 1000, rounds: 1)
      }.median)
    let cached = again[side - sides.lowerBound]
    row(
      "the same again, worst of 7", duration(again.max() ?? 0),
      "in 900 cells \(duration(cached)); encoding its \(annotations) annotations "
        + "\(duration(encoded)): \(rounded(cached / encoded)) times")
    try service.answer(HTTPRequest("/collections/bench-cells", method: .delete))
  }

  private func wall(
    _ collection: String, side: Int, cellSize: Double = 60, rounds: Int
  ) throws -> Double {
    let request = HTTPRequest(ViewBenchmark.world(collection, side: side, cellSize: cellSize))
    return try timing(rounds) { try service.answer(request) }.wall
  }

  /// Makes a collection with two features for each cluster of the large one and one for each single feature,
  /// so that the same viewport of it looks almost the same. Returns the number of annotations.
  private func copyCells(side: Int) throws -> Int {
    let answer = try service.body(ViewBenchmark.world("c", side: side))
    var corners: [String] = []
    var annotations = 0
    var start = answer.startIndex
    while let next = answer.firstIndex(of: "\"bbox\":[", from: start) {
      start = next + 1
      annotations += 1
      let edges = answer[(next + 8)...].prefix { $0 != UInt8(ascii: "]") }
        .split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
      corners.append("\(edges[0]),\(edges[1])")
      if edges[0] != edges[2] || edges[1] != edges[3] { corners.append("\(edges[2]),\(edges[3])") }
    }
    let features = corners.map {
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#($0)]},"properties":null}"#
    }
    try service.answer(
      HTTPRequest(
        "/collections/bench-cells/items",
        #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#))
    let found = try service.body(ViewBenchmark.world("bench-cells", side: side))
      .sum(of: "\"count\":")
    try ensure(
      found == corners.count && answer.sum(of: "\"count\":") == count,
      "\(found) of \(corners.count) features were found")
    return annotations
  }

  // MARK: Properties and methods

  /// The world in about 900 cells, on a screen without a margin.
  private static let fineWorld = "bbox=-180,-85.06,180,85.06&zoom=2.814&marginFactor=0"

  /// Measures filters, groups, statistics and methods over the features of ``SamplePlace``.
  mutating func properties() throws {
    for (kind, filter) in [
      ("numbers", "population>1"), ("10 strings", "country='Peru'"),
      ("as many strings as features", "name='Peru'"),
    ] {
      try first("read a property on first use: \(kind)", filter)
    }
    let median = SamplePlace.medianPopulation
    let half = "&filter=" + PercentCoding.encode("population>=\(median)")
    let passing = SamplePlace.places(count, seed: 3).count { $0.population >= median }
    let found = try service.body(view(ViewBenchmark.fineWorld, half + "&groupBy=country"))
    try ensure(
      found.sum(of: "\"featureCount\":") == passing && found.sum(of: "\"count\":") == passing,
      "a scan found \(passing) features")
    try compare("a filter that half of them pass", of: ViewBenchmark.fineWorld) { synthetic in
      "&filter=" + PercentCoding.encode("population>=\(median + Int(synthetic.uniform() * 1000))")
    }
    try compare("10 groups", of: ViewBenchmark.fineWorld) { _ in "&groupBy=country" }
    let aggregates =
      #"{"a":["sum","population"],"b":["mean","population"],"c":["max","population"]}"#
    try compare("counts of 10 values, sum, mean, maximum", of: ViewBenchmark.fineWorld) { _ in
      "&countBy=country&aggregate=" + PercentCoding.encode(aggregates)
    }
    try hull()
    try method("distance", [1, 30, 512].map { "distance&epsilon=\($0)" })
    try method(
      "collision",
      [4, 40, 400].flatMap { side in
        ["", "&priorityBy=priority", "&priorityBy=priority&clusterBy=country"].map {
          "collision&markerSize=\(side),\(side)" + $0
        }
      })
  }

  /// Measures the hull of all features, which are the cluster of the world's only cell, beside that cluster.
  private func hull() throws {
    let world = "bbox=-180,-85,180,85&zoom=0&cellSize=300&marginFactor=0"
    let body = try service.body("/collections/c/clusters?\(world)")
    let start = (body.firstIndex(of: "\"id\":\"") ?? 0) + 6
    let id = body[start...].prefix { $0 != UInt8(ascii: "\"") }
    let cluster = "/collections/c/clusters/\(String(decoding: id, as: UTF8.self))"
    try ensure(
      try service.body(cluster).sum(of: "\"count\":") == count, "the world is not one cluster")
    let hull = try seconds(9) { _ = try service.body(cluster + "/hull") }
    let alone = try seconds(9) { _ = try service.body(cluster) }
    row("hull of all features", duration(hull), "the cluster alone \(duration(alone))")
  }

  /// Measures a method without a grid over the whole world at many zooms: the slowest view, answered and refused.
  private func method(_ name: String, _ methods: [String]) throws {
    var (answered, refused): ([Double], [Double]) = ([], [])
    for zoom in [log2(375.0 / 256), log2(1500.0 / 256), 4, 5, 6, 7, 8, 10, 12, 16, 20, 24] {
      for method in methods {
        let target =
          "/collections/c/clusters?bbox=-180,-85,180,85&zoom=\(zoom)&marginFactor=0&limit=10000"
          + "&properties=none&method=\(method)"
        var body: ArraySlice<UInt8>?
        let time = seconds(3) { body = try? service.body(target) }
        guard let body else {
          refused.append(time)
          continue
        }
        answered.append(time)
        let shown = body.sum(of: "\"count\":") + body.sum(of: "\"hiddenCount\":")
        try ensure(shown == body.sum(of: "\"featureCount\":"), "\(target): features are missing")
      }
    }
    row("\(name), slowest of \(answered.count) answers", duration(answered.max() ?? 0))
    row("\(name), slowest of \(refused.count) refusals", duration(refused.max() ?? 0))
  }

  // MARK: Views

  /// A view of a rectangle at a scale, on a grid of its own.
  mutating func view(_ rect: String, _ more: String = "") -> String {
    let cell = 59.5 + (synthetic.uniform() * 10_000).rounded() / 10_000
    return "/collections/c/clusters?\(rect)&cellSize=\(cell)\(more)"
  }

  /// Measures what reads a property for the first time.
  mutating func first(_ name: String, _ filter: String) throws {
    let target = view("bbox=-1,-1,1,1&viewportWidth=800", "&filter=" + PercentCoding.encode(filter))
    let time = try timing { _ = try service.body(target) }
    row(name, duration(time.wall), "processor \(duration(time.busy))")
  }

  /// Measures views with something that is new each time, of the world and of cities, and the world once more.
  mutating func compare(
    _ name: String, of world: String = "bbox=-180,-85,180,85&viewportWidth=800",
    _ more: (inout Synthetic) -> String
  ) throws {
    var (first, again, cities, plain): ([Timing], [Timing], [Timing], [Timing]) = ([], [], [], [])
    func time(_ target: String) throws -> Timing {
      try timing { try service.answer(HTTPRequest(target)) }
    }
    for _ in 0..<9 {
      let more = more(&synthetic)
      first.append(try time(view(world, more)))
      again.append(try time(view(world, more)))
      plain.append(try time(view(world)))
    }
    for _ in 0..<31 {
      let centre = try service.coordinate(of: 1 + Int(synthetic.uniform() * Double(count)))
      let box = [
        centre.longitude - 0.3, centre.latitude - 0.3, centre.longitude + 0.3,
        centre.latitude + 0.3,
      ].map { "\($0)" }.joined(separator: ",")
      cities.append(try time(view("bbox=\(box)&viewportWidth=800", more(&synthetic))))
    }
    func text(_ all: [Timing]) -> String {
      "\(duration(all.map(\.wall).median)) (processor \(duration(all.map(\.busy).median)))"
    }
    row(
      name, text(first),
      "at first \(text([first[0]])); again \(text(again)); plain \(text(plain)); a city \(text(cities))"
    )
  }
}
