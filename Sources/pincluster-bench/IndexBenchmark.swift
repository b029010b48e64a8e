import ClusterCore
import Glibc

/// Build and query times of the index, each beside a linear scan over the same points.
struct IndexBenchmark {
  private let points: [Coordinate]
  private let index: FeatureIndex

  /// Builds the index of `count` points and prints what that costs.
  init(count: Int) throws {
    var synthetic = Synthetic(seed: 1)
    let points = synthetic.cities(count)
    self.points = points
    var builder = FeatureIndexBuilder(expecting: count)
    let projecting = try seconds {
      for start in stride(from: 0, to: count, by: 10_000) {
        try builder.append(
          IndexBenchmark.batch(points[start..<min(start + 10_000, count)]))
      }
    }
    var built: FeatureIndex?
    // Several times, as elsewhere; the first pays the system for memory that it hasn't seen before.
    let building = median(5) {
      built = nil
      built = builder.build()
    }
    guard let built else { preconditionFailure("build() returns an index") }
    index = built
    row("take in and project \(count) points", duration(projecting))
    row("sort and build", duration(building))
    row("index, bytes a feature", rounded(Double(index.byteCount) / Double(count)))
    row(
      "records without properties, bytes a feature",
      rounded(Double(index.records.byteCount) / Double(count)))
  }

  /// Features without properties, with consecutive ids.
  private static func batch(_ points: ArraySlice<Coordinate>) throws -> FeatureBatch {
    var batch = FeatureBatch()
    try Array("{}".utf8).withUnsafeBytes { empty in
      for place in points.indices {
        batch.append(
          id: try FeatureID(integer: Int64(place + 1)), coordinate: points[place],
          further: UnsafeBufferPointer(start: nil, count: 0), properties: empty)
      }
    }
    return batch
  }

  /// Whole-world and city views, and writes.
  func run() throws {
    if let text = getenv("PROFILE"), let rounds = Int(String(cString: text)) {
      for cells in 29...31 {
        let viewport = try Views.world(cells: cells)
        let time = try median(rounds) { _ = try clusters(viewport) }
        row("\(cells)", duration(time))
      }
      return
    }
    try worldViews()
    try cityViews()
    try writes()
  }

  /// Small writes, one after the other: features that move a little, anywhere.
  private func writes() throws {
    var synthetic = Synthetic(seed: 3)
    var index = self.index
    for count in [1, 16, 256] {
      var times: [Double] = []
      for _ in 0..<100 {
        var batch = FeatureBatch()
        try Array("{}".utf8).withUnsafeBytes { empty in
          for _ in 0..<count {
            let number = Int(synthetic.uniform() * Double(points.count))
            var coordinate = points[number]
            coordinate.latitude = max(-90, coordinate.latitude - 1e-4)
            batch.append(
              id: try FeatureID(integer: Int64(number + 1)), coordinate: coordinate,
              further: UnsafeBufferPointer(start: nil, count: 0), properties: empty)
          }
        }
        times.append(try seconds { index = try index.applying(.upsert(batch)) })
      }
      times.sort()
      row(
        "\(count) features moved in one write, median", duration(times[times.count / 2]),
        "99 %: \(duration(times[times.count * 99 / 100]))")
    }
  }

  /// Views of the world in about 900 cells: the slowest of several grids, beside the linear scan.
  private func worldViews() throws {
    var worst = (time: 0.0, cells: 0, grid: CellGrid(cellsPerWorld: 1))
    for cells in 29...31 {
      let viewport = try Views.world(cells: cells)
      let time = try median(5) { _ = try clusters(viewport) }
      if time > worst.time {
        worst = (time, Int(viewport.cells.count), viewport.cells.grid)
      }
    }
    let result = try clusters(try Views.world(cells: worst.grid.cellsPerWorld))
    var scanned: [Cell] = []
    let features = flatFeatures
    let scan = median(3) { scanned = IndexBenchmark.linearScan(worst.grid, features) }
    // The yardstick must have done the same work: both are by row and column.
    precondition(
      result.annotations.map(\.count) == scanned.map(\.count)
        && zip(result.annotations, scanned).allSatisfy {
          $0.count == 1 || IndexBenchmark.areNear($0.bounds, $1.bounds)
        },
      "the scan found otherwise")
    row(
      "world, \(worst.cells) cells, slowest of 3 grids", duration(worst.time),
      "linear scan \(duration(scan)): \(rounded(scan / worst.time)) times")
  }

  /// Whether bounds are the same, right to 1e-7°.
  private static func areNear(_ a: GeoBounds, _ b: GeoBounds) -> Bool {
    [(a.west, b.west), (a.south, b.south), (a.east, b.east), (a.north, b.north)]
      .allSatisfy { ($0 - $1).magnitude <= 1e-7 }
  }

  private func clusters(_ viewport: Viewport) throws -> ClusterResult {
    try FeatureScope(index).clusters(
      ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000))
  }

  /// What an answer needs of a cell.
  private struct Cell {
    var count = 0
    var latitudes = 0.0
    var longitudes = 0.0
    var bounds = GeoBounds.empty
  }

  /// All features in index order, in one piece.
  private var flatFeatures: [(position: Position, coordinate: Coordinate)] {
    var features: [(position: Position, coordinate: Coordinate)] = []
    features.reserveCapacity(index.count)
    index.points.forEachRun { run in
      for place in run {
        features.append((index.position(at: place), index.coordinate(at: place)))
      }
    }
    return features
  }

  /// Counts, sums and bounds of every cell, by looking at every point.
  private static func linearScan(
    _ grid: CellGrid, _ features: [(position: Position, coordinate: Coordinate)]
  ) -> [Cell] {
    let side = grid.cellsPerWorld
    var cells = [Cell](repeating: Cell(), count: side * side)
    cells.withUnsafeMutableBufferPointer { cells in
      for (position, coordinate) in features {
        let column = Double(position.x) / Position.stepsPerMapPoint / grid.cellMapSize
        let row = Double(position.y) / Position.stepsPerMapPoint / grid.cellMapSize
        let cell = Int(row) * side + Int(column)
        cells[cell].count += 1
        cells[cell].latitudes += coordinate.latitude
        cells[cell].longitudes += coordinate.longitude
        cells[cell].bounds.formUnion(GeoBounds(coordinate))
      }
    }
    return cells.filter { $0.count > 0 }
  }

  /// Views a city wide, around random points, as a phone shows them.
  private func cityViews() throws {
    var synthetic = Synthetic(seed: 2)
    var times: [Double] = []
    var features = 0
    var annotations = 0
    let views = 200
    for _ in 0..<views {
      let centre = points[Int(synthetic.uniform() * Double(points.count))]
      let viewport = try Views.city(centre)
      var result: ClusterResult?
      times.append(try median(3) { result = try clusters(viewport) })
      features += result?.featureCount ?? 0
      annotations += result?.annotations.count ?? 0
    }
    times.sort()
    row(
      "city view (0.4°, \(annotations / views) annotations), median",
      duration(times[views / 2]),
      "99 %: \(duration(times[views * 99 / 100])); \(features / views) features each")
  }
}
