import ClusterCore
import Glibc

/// Build and query times of the index, beside a linear scan over the same points and beside smaller
/// indexes.
struct IndexBenchmark {
  let points: [Coordinate]
  let index: FeatureIndex
  /// Indexes of the first of the same points.
  var smaller: [IndexBenchmark] = []

  /// Builds the index of `count` points, and before it those of a hundredth and of a tenth of them.
  init(comparing count: Int) throws {
    var synthetic = Synthetic(seed: 1)
    let points = synthetic.cities(count)
    let smaller = try [100, 10].map {
      try IndexBenchmark(Array(points.prefix(max(1, count / $0))), prints: false)
    }
    try self.init(points, prints: true)
    self.smaller = smaller
  }

  /// Builds the index of some points, and prints what that costs.
  init(_ points: [Coordinate], prints: Bool) throws {
    let count = points.count
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
    let building = median(prints ? 5 : 1) {
      built = nil
      built = builder.build()
    }
    guard let built else { preconditionFailure("build() returns an index") }
    index = built
    guard prints else { return }
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

  /// Views of the world in about 900 cells, the slowest of several grids, beside a linear scan and
  /// beside smaller indexes: in turn, so that what else happens on the machine happens to all of them.
  private func worldViews() throws {
    let all = [self] + smaller
    let features = flatFeatures
    let viewports = try (29...31).map { try Views.world(cells: $0) }
    // By grid the times of each index, and those of the scan.
    var times = viewports.map { _ in all.map { _ in [Double]() } }
    var scans = viewports.map { _ in [Double]() }
    for _ in 0..<9 {
      for (grid, viewport) in viewports.enumerated() {
        for (number, benchmark) in all.enumerated() {
          var result: ClusterResult?
          // The first of three finds the last one's data in the caches.
          let time = try median(3) { result = try benchmark.clusters(viewport) }
          times[grid][number].append(time)
          guard number == 0 else { continue }
          var scanned: [Cell] = []
          scans[grid].append(
            seconds { scanned = IndexBenchmark.linearScan(viewport.cells.grid, features) })
          // The yardstick must have done the same work: both are by row and column.
          let annotations = result?.annotations ?? []
          precondition(
            annotations.count == scanned.count
              && zip(annotations, scanned).allSatisfy(IndexBenchmark.isSame),
            "the scan found otherwise")
        }
      }
    }
    func middle(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }
    /// The median of the quotients of what was measured together.
    func quotient(_ a: [Double], _ b: [Double]) -> Double { middle(zip(a, b).map { $0 / $1 }) }
    let slowest = viewports.indices.max { middle(times[$0][0]) < middle(times[$1][0]) } ?? 0
    let own = times[slowest]
    let growth = smaller.indices.map { number in
      let past = own[number + 1]
      return "; of \(smaller[number].points.count) \(duration(middle(past))): "
        + "\(rounded(quotient(own[0], past))) times"
    }.joined()
    let side = viewports[slowest].cells.grid.cellsPerWorld
    row(
      "world, \(side * side) cells, slowest of 3 grids", duration(middle(own[0])),
      "linear scan \(duration(middle(scans[slowest]))): "
        + "\(rounded(quotient(scans[slowest], own[0]))) times\(growth)")
  }

  /// Whether an annotation is what the scan found, right to 1e-7°.
  private static func isSame(_ annotation: Annotation, _ cell: Cell) -> Bool {
    func isNear(_ one: Double, _ other: Double) -> Bool { (one - other).magnitude <= 1e-7 }
    let count = Double(cell.count)
    return annotation.count == cell.count
      && isNear(annotation.coordinate.latitude, cell.latitudes / count)
      && isNear(annotation.coordinate.longitude, cell.longitudes / count)
      && isNear(annotation.bounds.west, cell.bounds.west)
      && isNear(annotation.bounds.south, cell.bounds.south)
      && isNear(annotation.bounds.east, cell.bounds.east)
      && isNear(annotation.bounds.north, cell.bounds.north)
  }

  func clusters(_ viewport: Viewport) throws -> ClusterResult {
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
}
