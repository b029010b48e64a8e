import ClusterCore
import Glibc

/// Measures building and querying the index, beside a linear scan of the same points and smaller indexes.
struct IndexBenchmark {
  private let points: [Coordinate]
  private let index: FeatureIndex
  /// Indexes of the first of these points.
  private var smaller: [IndexBenchmark] = []

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

  /// Builds the index of some points, which have no properties and consecutive ids, and prints what that costs.
  private init(_ points: [Coordinate], prints: Bool) throws {
    self.points = points
    var builder = FeatureIndexBuilder(expecting: points.count)
    for start in stride(from: 0, to: points.count, by: 10_000) {
      let part = start..<min(start + 10_000, points.count)
      try builder.append(IndexBenchmark.batch(part.map { ($0, points[$0]) }))
    }
    var built: FeatureIndex?
    // Repeated, because the first time includes getting fresh memory from the system.
    let building = seconds(prints ? 5 : 1) {
      built = nil
      built = builder.build()
    }
    guard let built else { throw Failure("there is no index") }
    index = built
    guard prints else { return }
    row("sort and build, \(points.count) points", duration(building))
    row("index, bytes a feature", rounded(Double(index.byteCount) / Double(points.count)))
  }

  private static func batch(_ features: [(number: Int, coordinate: Coordinate)]) throws
    -> FeatureBatch
  {
    var batch = FeatureBatch()
    try Array("{}".utf8).withUnsafeBytes { empty in
      for feature in features { try batch.append(feature.number + 1, feature.coordinate, empty) }
    }
    return batch
  }

  /// Measures viewports of the world and of cities, the nearest features, and writes.
  func run() throws {
    try worldViews()
    try cityViews()
    try nearest()
    try writes()
  }

  private func clusters(_ viewport: Viewport) throws -> ClusterResult {
    try FeatureScope(IndexedCollection(index)).clusters(
      ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000))
  }

  // MARK: The world

  /// The times of viewports of the world on one grid: of this index, of the smaller ones, and of scans.
  private struct WorldTimes {
    let cells: Int
    var views: [[Timing]]
    var scans: [Timing] = []
  }

  /// Measures viewports of the world in about 900 cells, the slowest of three grids, beside a linear scan and smaller
  /// indexes; all in turn, so that other load of the machine affects them alike.
  private func worldViews() throws {
    let all = [self] + smaller
    let features = flatFeatures
    let world = try VisibleRect.bbox(west: -180, south: -90, east: 180, north: 90)
    let viewports = try (29...31).map { cells in
      // N cells of 60 points make a world 60·N points wide. The zoom is rounded up, so that it is not less.
      let zoom = (log2(Double(cells) * 60 / 256) * 1000).rounded(.up) / 1000
      return try Viewport(rect: world, scale: .zoom(zoom), cellSize: 60, marginFactor: 0)
    }
    var grids = viewports.map { viewport in
      let side = viewport.cells.grid.cellsPerWorld
      return WorldTimes(cells: side * side, views: all.map { _ in [] })
    }
    for _ in 0..<9 {
      for (grid, viewport) in viewports.enumerated() {
        var annotations: [Annotation] = []
        for (number, benchmark) in all.enumerated() {
          // Three rounds, because the first finds the data of the previous index in the caches.
          let time = try timing(3) {
            let result = try benchmark.clusters(viewport)
            if number == 0 { annotations = result.annotations }
          }
          grids[grid].views[number].append(time)
        }
        var scanned: [Cell] = []
        grids[grid].scans.append(
          timing { scanned = IndexBenchmark.linearScan(viewport.cells.grid, features) })
        // The scan must have done the same work. Both results are ordered by row and column.
        try ensure(
          annotations.count == scanned.count && zip(annotations, scanned).allSatisfy { $1.is($0) },
          "the scan found something else")
      }
    }
    func own(_ times: WorldTimes) -> Double { times.views[0].map(\.wall).median }
    guard let slowest = grids.max(by: { own($0) < own($1) }) else { return }
    printRow("world, \(slowest.cells) cells, slowest of 3 grids", slowest, \.wall)
    printRow("  the same by processor time", slowest, \.busy)
  }

  /// Prints the times of viewports of the world by one clock.
  private func printRow(_ name: String, _ times: WorldTimes, _ clock: KeyPath<Timing, Double>) {
    let own = times.views[0].map { $0[keyPath: clock] }
    /// The median of other times, and the median quotient of the times measured together.
    func beside(_ other: [Timing], _ isSlower: Bool) -> String {
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

  /// The sums and bounds of a cell.
  private struct Cell {
    var count = 0
    var latitudes = 0.0
    var longitudes = 0.0
    var bounds = GeoBounds.empty

    /// Whether an annotation equals this, to 1e-7°.
    func `is`(_ annotation: Annotation) -> Bool {
      let (mean, box, number) = (annotation.coordinate, annotation.bounds, Double(count))
      return annotation.count == count
        && [
          (mean.latitude, latitudes / number), (mean.longitude, longitudes / number),
          (box.west, bounds.west), (box.south, bounds.south), (box.east, bounds.east),
          (box.north, bounds.north),
        ].allSatisfy { ($0 - $1).magnitude <= 1e-7 }
    }
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

  // MARK: Cities

  /// Measures viewports as wide as a city around random points: beside indexes of fewer points, in which a
  /// city also has fewer, and beside an index of the same cities without the rest of the world.
  private func cityViews() throws {
    var synthetic = Synthetic(seed: 2)
    let centres = (0..<200).map { _ in points[Int(synthetic.uniform() * Double(points.count))] }
    let views = try cityViews(centres)
    row("city view (0.4°, \(views.annotations) annotations)", views.times)
    for smaller in smaller {
      let past = try smaller.cityViews(centres)
      row(
        "  of \(smaller.points.count), \(past.annotations) annotations",
        duration(past.times.median),
        "\(rounded(views.times.median / past.times.median)) times")
    }
    let strip = strip
    let inside = points.lazy.filter {
      ($0.longitude - strip.lowerBound).magnitude > 1
        && ($0.longitude - strip.upperBound).magnitude > 1
        && strip.contains($0.longitude)
    }
    let found = Array(inside.prefix(20_000))
    let near = (0..<200).map { found[$0 * 97 % found.count] }
    let alone = try IndexBenchmark(points.filter { strip.contains($0.longitude) }, prints: false)
    let (whole, part) = (try cityViews(near), try alone.cityViews(near))
    try ensure(whole.annotations == part.annotations, "a city differs")
    row(
      "city view, \(whole.annotations) annotations", duration(whole.times.median),
      "the same in a strip of \(alone.points.count) alone \(duration(part.times.median)): "
        + "\(rounded(whole.times.median / part.times.median)) times")
  }

  /// The widest strip from pole to pole that holds about 1 % of all points.
  private var strip: ClosedRange<Double> {
    let longitudes = points.prefix(100_000).map(\.longitude).sorted()
    let share = longitudes.count / 100
    let strips = stride(from: 0, to: longitudes.count - share, by: share).map {
      longitudes[$0]...longitudes[$0 + share]
    }
    return strips.max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound } ?? 0...1
  }

  /// The times of viewports of cities on a phone, and how many annotations these have in the mean.
  private func cityViews(_ centres: [Coordinate]) throws -> (times: [Double], annotations: Int) {
    var (times, annotations): ([Double], Int) = ([], 0)
    for centre in centres {
      let viewport = try Viewport(
        rect: try VisibleRect.region(center: centre, latitudeDelta: 0.4, longitudeDelta: 0.4),
        scale: .viewportWidth(375), cellSize: 60, marginFactor: 0.5)
      var count = 0
      times.append(try seconds(5) { count = try clusters(viewport).annotations.count })
      annotations += count
    }
    return (times, annotations / centres.count)
  }

  // MARK: Neighbours and writes

  /// Measures the nearest features of places where there are features.
  private func nearest() throws {
    var synthetic = Synthetic(seed: 4)
    let scope = FeatureScope(IndexedCollection(index))
    for limit in [10, 1000] {
      let times = try (0..<300).map { _ in
        let place = points[Int(synthetic.uniform() * Double(points.count))]
        var found = 0
        let time = seconds {
          found = scope.ordinals(in: nil, nearestTo: GlobeDistance(from: place), limit: limit).count
        }
        try ensure(found == min(limit, points.count), "features are missing")
        return time
      }
      row("nearest \(limit)", times)
    }
  }

  /// Measures small writes one after the other: features that move a little.
  private func writes() throws {
    var synthetic = Synthetic(seed: 3)
    var index = self.index
    for count in [1, 16, 256] {
      let times = try (0..<100).map { _ in
        let batch = try IndexBenchmark.batch(
          (0..<count).map { _ in
            let number = Int(synthetic.uniform() * Double(points.count))
            var coordinate = points[number]
            coordinate.latitude = max(-90, coordinate.latitude - 1e-4)
            return (number, coordinate)
          })
        return try seconds { index = try index.applying([.upsert(batch)]).index }
      }
      row("\(count) features moved in one write", times)
    }
  }
}
