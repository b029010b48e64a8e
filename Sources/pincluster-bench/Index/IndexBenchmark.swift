import ClusterCore
import Glibc

/// Measures building and querying the index, beside a linear scan of the same points and smaller indexes.
struct IndexBenchmark {
  let points: [Coordinate]
  let index: FeatureIndex
  /// Indexes of the first of these points.
  var smaller: [IndexBenchmark] = []

  /// Builds the indexes of a hundredth, a tenth and all of `count` points.
  init(comparing count: Int) throws {
    var synthetic = Synthetic(seed: 1)
    let points = synthetic.cities(count)
    let smaller = try [100, 10].map {
      try IndexBenchmark(Array(points.prefix(max(1, count / $0))), prints: false)
    }
    try self.init(points, prints: true)
    self.smaller = smaller
  }

  /// Builds the index of some points and prints what that costs.
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
    // Repeated, because the first time includes getting fresh memory from the system.
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
      for index in points.indices { try batch.append(index + 1, points[index], empty) }
    }
    return batch
  }

  /// Measures viewports of the world and of cities, and writes.
  func run() throws {
    try worldViews()
    try cityViews()
    nearest()
    try writes()
  }

  /// Measures the nearest features of places where there are features, and of any on the globe.
  private func nearest() {
    var synthetic = Synthetic(seed: 4)
    let scope = FeatureScope(IndexedCollection(index))
    for isNearSome in [true, false] {
      for limit in [10, 1000] {
        var times: [Double] = []
        for _ in 0..<300 {
          let place =
            isNearSome
            ? points[Int(synthetic.uniform() * Double(points.count))]
            : Coordinate(
              latitude: synthetic.uniform() * 180 - 90, longitude: synthetic.uniform() * 360 - 180)
          times.append(
            seconds {
              let found = scope.ordinals(
                in: nil, nearestTo: GlobeDistance(from: place), limit: limit)
              precondition(found.count == min(limit, points.count), "features are missing")
            })
        }
        times.sort()
        row(
          "nearest \(limit) \(isNearSome ? "of a feature" : "of any place"), median",
          duration(times.percentile(50)), "99 %: \(duration(times.percentile(99)))")
      }
    }
  }

  /// Measures small writes one after the other: features that move a little.
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
            try batch.append(number + 1, coordinate, empty)
          }
        }
        times.append(try seconds { index = try index.applying(.upsert(batch)) })
      }
      times.sort()
      row(
        "\(count) features moved in one write, median", duration(times.percentile(50)),
        "99 %: \(duration(times.percentile(99)))")
    }
  }

  /// The times of viewports of the world on one grid: of this index, of the smaller ones, and of scans.
  private struct WorldTimes {
    let cells: Int
    var views: [[Took]]
    var scans: [Took] = []
  }

  /// Measures viewports of the world in about 900 cells, the slowest of several grids, beside a linear scan
  /// and smaller indexes.
  private func worldViews() throws {
    let grids = try worldTimes(rounds: 9)
    func own(_ times: WorldTimes) -> Double { times.views[0].map(\.wall).median }
    guard let slowest = grids.max(by: { own($0) < own($1) }) else { return }
    printRow("world, \(slowest.cells) cells, slowest of 3 grids", slowest, \.wall)
    printRow("  the same by processor time", slowest, \.busy)
  }

  /// Prints the times of viewports of the world by one clock.
  private func printRow(_ name: String, _ times: WorldTimes, _ clock: KeyPath<Took, Double>) {
    let own = times.views[0].map { $0[keyPath: clock] }
    /// The median of other times, and the median quotient of the times measured together.
    func beside(_ other: [Took], _ isSlower: Bool) -> String {
      let other = other.map { $0[keyPath: clock] }
      let quotient = zip(own, other).map { isSlower ? $1 / $0 : $0 / $1 }.median
      return "\(duration(other.median)): \(rounded(quotient)) times"
    }
    let growth = zip(smaller, times.views.dropFirst()).map {
      "; of \($0.points.count) \(beside($1, false))"
    }
    row(
      name, duration(own.median),
      "linear scan \(beside(times.scans, true))\(growth.joined())")
  }

  /// Measures viewports of the world on three grids, alternating, so that other load of the machine affects
  /// all of them alike.
  private func worldTimes(rounds: Int) throws -> [WorldTimes] {
    let all = [self] + smaller
    let features = flatFeatures
    let viewports = try (29...31).map { try Views.world(cells: $0) }
    var grids = viewports.map { viewport in
      let side = viewport.cells.grid.cellsPerWorld
      return WorldTimes(cells: side * side, views: all.map { _ in [] })
    }
    for _ in 0..<rounds {
      for (grid, viewport) in viewports.enumerated() {
        var annotations: [Annotation] = []
        for (number, benchmark) in all.enumerated() {
          // Three rounds, because the first finds the data of the previous index in the caches.
          let time = try medians(3) {
            let result = try benchmark.clusters(viewport)
            if number == 0 { annotations = result.annotations }
          }
          grids[grid].views[number].append(time)
        }
        var scanned: [Cell] = []
        grids[grid].scans.append(
          took { scanned = IndexBenchmark.linearScan(viewport.cells.grid, features) })
        // The scan must have done the same work. Both results are ordered by row and column.
        precondition(
          annotations.count == scanned.count
            && zip(annotations, scanned).allSatisfy(IndexBenchmark.isSame),
          "the scan found something else")
      }
    }
    return grids
  }

  /// Whether an annotation equals what the scan found, to 1e-7°.
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
    try FeatureScope(IndexedCollection(index)).clusters(
      ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000))
  }

  /// The sums and bounds of a cell.
  private struct Cell {
    var count = 0
    var latitudes = 0.0
    var longitudes = 0.0
    var bounds = GeoBounds.empty
  }

  /// All features in index order, in one array.
  private var flatFeatures: [(position: Position, coordinate: Coordinate)] {
    var features: [(position: Position, coordinate: Coordinate)] = []
    features.reserveCapacity(index.count)
    index.points.forEachRun { run in
      for ordinal in run {
        features.append((index.position(at: ordinal), index.coordinate(at: ordinal)))
      }
    }
    return features
  }

  /// The counts, sums and bounds of every cell, from every point.
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
