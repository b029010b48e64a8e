import ClusterCore
import GeoFormats

/// Measures filters, groups and statistics beside the plain viewport of the same cells.
struct PropertyBenchmark {
  private let sample: PropertySample
  private let world: Viewport
  private let plain: Double

  /// Finds the slowest of several plain viewports of the world in about 900 cells.
  init(_ sample: PropertySample) throws {
    self.sample = sample
    var slowest: (time: Double, viewport: Viewport)?
    for cells in 29...31 {
      let viewport = try Views.world(cells: cells)
      let time = try median(9) { _ = try PropertyBenchmark.clusters(sample, viewport) }
      if time > slowest?.time ?? 0 { slowest = (time, viewport) }
    }
    guard let slowest else { preconditionFailure("there are views") }
    (plain, world) = slowest
  }

  func run() throws {
    row("world, \(Int(world.cells.count)) cells, slowest of 3 grids", duration(plain))
    columns()
    try worldViews()
    try statistics()
    try hull()
    try cityViews()
  }

  private func ratio(_ time: Double) -> String { "\(rounded(time / plain)) times the plain view" }

  /// Measures reading a property from every record of an index without columns.
  private func columns() {
    sample.forget()
    for (name, kind) in [
      ("population", "numbers"), ("country", "10 strings"), ("name", "as many strings as features"),
    ] {
      let time = seconds { _ = sample.column(name) }
      row(
        "read a property on first use: \(kind)", duration(time),
        "\(rounded(time / Double(sample.index.count) * 1e9)) ns a feature")
    }
    row(
      "its keys, of as many strings, for groups or counts",
      duration(seconds { _ = sample.keys("name") }))
  }

  // MARK: The world

  private func worldViews() throws {
    let half = "population >= \(SamplePlace.medianPopulation)"
    let passing: (SamplePlace) -> Bool = { $0.population >= SamplePlace.medianPopulation }
    try measure("a filter that half of them pass", half, passes: passing)
    try measure("10 groups", groupBy: "country")
    try measure("both", half, groupBy: "country", passes: passing)
    let like = "name LIKE '%7%' AND country <> 'China'"
    try measure(like, like) {
      $0.country != 0 && String(1_000_000 + $0.number).contains("7")
    }
  }

  /// Measures a viewport of an index with its columns: the first time, and with a cached scope.
  private func measure(
    _ name: String, _ filter: String? = nil, groupBy: String? = nil,
    passes: (SamplePlace) -> Bool = { _ in true }
  ) throws {
    func view() throws { _ = try clusters(filter, groupBy: groupBy) }
    var first: [Double] = []
    for _ in 0..<3 {
      sample.forget()
      for name in ["population", "country", "name"] { _ = sample.column(name) }
      _ = sample.keys("country")
      first.append(try seconds(view))
    }
    check(try clusters(filter, groupBy: groupBy), grouped: groupBy != nil, passes)
    let again = try median(9, view)
    row("  with \(name)", duration(again), ratio(again))
    row("    for the first time", duration(first.sorted()[1]), ratio(first.sorted()[1]))
  }

  private func clusters(_ filter: String? = nil, groupBy: String? = nil) throws -> ClusterResult {
    try PropertyBenchmark.clusters(sample, world, filter, groupBy: groupBy)
  }

  private static func clusters(
    _ sample: PropertySample, _ viewport: Viewport, _ filter: String? = nil,
    groupBy: String? = nil
  ) throws -> ClusterResult {
    var request = ClusterRequest(viewport, settings: ClusterSettings(), limit: 10_000)
    request.grouping = groupBy.map(sample.grouping)
    let passing = try filter.map(sample.filter)
    return try FeatureScope(sample.collection, passing: passing, near: request).clusters(request)
  }

  /// The counts of each cell and group must be those of a look at every place.
  private func check(
    _ result: ClusterResult, grouped: Bool, _ passes: (SamplePlace) -> Bool
  ) {
    struct Key: Hashable {
      var cell: CellPosition
      var group: [UInt8]?
    }
    let names = SamplePlace.countries.map { Array($0.utf8) }
    let side = world.cells.grid.cellsPerWorld
    var counts = [Int](repeating: 0, count: side * side * names.count)
    for ordinal in sample.order.keys {
      let known = sample.sample(at: ordinal)
      guard passes(known) else { continue }
      let position = sample.index.position(at: ordinal)
      let scale = Position.stepsPerMapPoint * world.cells.grid.cellMapSize
      let cell = Int(Double(position.y) / scale) * side + Int(Double(position.x) / scale)
      counts[cell * names.count + (grouped ? known.country : 0)] += 1
    }
    var found: [Key: Int] = [:]
    for annotation in result.annotations {
      guard let cell = annotation.cell else { continue }
      found[Key(cell: cell, group: result.layer(of: annotation).group?.key)] = annotation.count
    }
    var expected: [Key: Int] = [:]
    for (index, count) in counts.enumerated() where count > 0 {
      let cell = index / names.count
      let key = Key(
        cell: CellPosition(column: cell % side, row: cell / side),
        group: grouped ? names[index % names.count] : nil)
      expected[key] = count
    }
    precondition(
      found == expected && result.annotations.count == expected.count, "a scan found something else"
    )
  }

  // MARK: Statistics

  private func statistics() throws {
    var wanted = Statistics()
    wanted.countBy = sample.keys("country")
    wanted.aggregates = [.sum, .mean, .max].map {
      Statistics.Aggregate(name: [], operation: $0, column: sample.column("population"))
    }
    var total = (counted: 0, population: 0.0, annotations: 0)
    let time = try median(3) {
      total = (0, 0, 0)
      let result = try clusters()
      let collector = try StatisticsCollector(wanted, of: result)
      for annotation in result.annotations {
        let found = collector.statistics(of: annotation)
        total.counted += found.counts.reduce(0) { $0 + $1.count }
        total.population += (found.aggregates[0] ?? 0)
        total.annotations += 1
      }
    }
    let population = sample.places.reduce(0) { $0 + $1.population }
    precondition(
      total.counted == sample.places.count && total.population == Double(population),
      "the statistics do not add up")
    row("  with counts of 10 values, sum, mean and maximum", duration(time), ratio(time))
    let weighted = try median(3) {
      var request = ClusterRequest(world, settings: ClusterSettings(), limit: 10_000)
      request.weights = sample.column("population")
      _ = try FeatureScope(sample.collection, passing: nil, near: request).clusters(request)
    }
    row("  with weighted means", duration(weighted), ratio(weighted))
  }

  /// Measures the hull of all features, which are the cluster of the world's only cell.
  private func hull() throws {
    let viewport = try Viewport(
      rect: Views.wholeWorld(), scale: .zoom(0), cellSize: 300, marginFactor: 0)
    let result = try PropertyBenchmark.clusters(sample, viewport)
    guard let all = result.annotations.first, all.count == sample.index.count else {
      preconditionFailure("the world is one cluster")
    }
    let time = median(9) { _ = result.hull(of: all, in: sample.index) }
    row("hull of all features", duration(time))
  }

  // MARK: Cities

  private func cityViews() throws {
    try city("plain")
    let half = "population >= \(SamplePlace.medianPopulation)"
    try city("a cached filter", filter: { _ in half })
    try city("a new filter each time", filter: { "population >= \(20_000 + $0)" })
    try city("10 groups", groupBy: "country")
    try city("both, new", filter: { "population >= \(30_000 + $0)" }, groupBy: "country")
  }

  private func city(
    _ name: String, filter: (Int) -> String? = { _ in nil }, groupBy: String? = nil
  ) throws {
    var synthetic = Synthetic(seed: 5)
    var times: [Double] = []
    for round in 0..<100 {
      let number = Int(synthetic.uniform() * Double(sample.places.count))
      let viewport = try Views.city(sample.places[number].coordinate)
      let filter = filter(round)
      times.append(
        try seconds {
          _ = try PropertyBenchmark.clusters(sample, viewport, filter, groupBy: groupBy)
        })
    }
    times.sort()
    row("city view: \(name), median", duration(times[50]), "99 %: \(duration(times[98]))")
  }
}
