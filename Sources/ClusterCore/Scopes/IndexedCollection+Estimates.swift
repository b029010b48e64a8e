import Glibc

extension IndexedCollection {
  /// Estimates how many features that pass a filter are in a range of cells, and in how many of the cells.
  ///
  /// - Parameter cellSize: the width of the cells to count, in map points; nil for those of the range.
  public func estimate(
    of range: GridRange, cellSize: Double? = nil, passing filter: FilterExpression?
  ) -> CellEstimate {
    let cellSize = cellSize ?? range.grid.cellMapSize
    let scale = range.grid.cellMapSize / cellSize
    return estimate(in: CellsRegion(range), cellSize: cellSize, passing: filter)
      .limited(toCells: range.count * max(scale * scale, 1))
  }

  /// Estimates how many features that pass a filter are in a rectangle.
  public func estimate(of rect: MapRegion, passing filter: FilterExpression?) -> CellEstimate {
    estimate(in: rect, cellSize: WebMercator.worldSize, passing: filter)
  }

  /// Estimates how many features that pass a filter are in a bbox, or anywhere.
  public func estimate(of bbox: DegreesRegion?, passing filter: FilterExpression?) -> CellEstimate {
    guard let bbox else {
      return estimate(in: EverywhereRegion(), cellSize: WebMercator.worldSize, passing: filter)
    }
    return estimate(in: bbox, cellSize: WebMercator.worldSize, passing: filter)
  }

  /// Estimates how many features that pass a filter are in the cell of an annotation, and in how many cells
  /// of a finer grid.
  public func estimate(
    of name: CellName, by finer: CellGrid?, passing filter: FilterExpression?
  ) -> CellEstimate {
    let region = CellRegion(grid: name.grid, cell: name.cell)
    let grid = finer ?? name.grid
    let side = (name.grid.cellMapSize / grid.cellMapSize).rounded(.up)
    return estimate(in: region, cellSize: grid.cellMapSize, passing: filter)
      .limited(toCells: max(side * side, 1))
  }

  /// Whether a range of cells certainly holds at most so many features; told in a microsecond or two.
  public func holds(atMost limit: Int, in range: GridRange) -> Bool {
    index.points.holds(atMost: limit, in: CellsRegion(range))
  }

  /// Whether the cell of an annotation certainly holds at most so many features.
  public func holds(atMost limit: Int, in name: CellName) -> Bool {
    index.points.holds(atMost: limit, in: CellRegion(grid: name.grid, cell: name.cell))
  }

  /// Whether a rectangle certainly holds at most so many features.
  public func holds(atMost limit: Int, in rect: MapRegion) -> Bool {
    index.points.holds(atMost: limit, in: rect)
  }

  private func estimate(
    in region: some IndexRegion, cellSize: Double, passing filter: FilterExpression?
  ) -> CellEstimate {
    let steps = cellSize * Position.stepsPerMapPoint
    guard let filter = filter?.normalised else {
      return index.points.estimate(in: region, cellSteps: steps)
    }
    return estimate(in: AnyRegion(region), cellSteps: steps, passing: filter)
  }

  private func estimate(
    in region: AnyRegion, cellSteps steps: Double, passing filter: FilterExpression
  ) -> CellEstimate {
    let name = ScopeName(filter: filter)
    if let parts = scopes.existing(name), let part = parts.all.first {
      return FeatureScope(self, part.selection).points.estimate(in: region, cellSteps: steps)
    }
    let shapes = filter.region
    let isQuick =
      !shapes.isEmpty && shapes.nanosecondsPerPoint <= IndexedCollection.quickShapes
    var found = index.points.estimate(in: region, isQuick ? shapes : nil, cellSteps: steps)
    if let count = filter.idCount.map(Double.init) {
      found.unfiltered = min(found.unfiltered, count)
      found.features = min(found.features, count)
      found.cells = min(found.cells, found.features)
      return found
    }
    guard let rest = filter.withoutRegion else { return found }
    let share = share(passing: rest)
    // Most cells have few features even where the mean is large.
    let mean = max(found.features / max(found.cells, 1), 1)
    found.features *= share
    found.cells = min(found.cells * min(pow(share, 0.75) * pow(mean, 0.35), 1), found.features)
    return found
  }

  /// The time that a look at shapes may take for an estimate to look at them, in nanoseconds.
  private static let quickShapes = 2000.0

  /// About the share of features that pass a filter: of a sample, if there are columns for that, else all.
  private func share(passing filter: FilterExpression) -> Double {
    let effort = filter.shapes.reduce(0) { $0 + $1.nanosecondsPerPoint }
    guard effort <= IndexedCollection.quickShapes else { return 1 }
    let names = filter.columnNames
    let known = names.compactMap { name -> (ColumnName, PropertyColumn)? in
      existingColumn(name).map { (name, $0) }
    }
    guard known.count == names.count else { return 1 }
    // An estimate must not cost more than a short answer, however many conditions there are.
    let sample = index.sampledOrdinals(max(16, min(128, 1024 / max(filter.conditionCount, 1))))
    guard let part = quickPart(of: Array(sample), for: filter) else { return 1 }
    let byName = Dictionary(known, uniquingKeysWith: { first, _ in first })
    // A filter asks for the columns of its names only, all of which are there.
    let bound = BoundFilter(normal: filter, of: index) { byName[$0] ?? known[0].1 }
    let passing = part.count { bound.passes($0) }
    // None of a sample may still be some of all.
    return (Double(passing) + 0.25) / Double(part.count + 1)
  }

  /// Those of some features, spread among them, that a filter can look at in a tenth of a millisecond, however long
  /// their texts are; nil if these are too few to tell anything.
  func quickPart(of sample: [Int], for filter: FilterExpression) -> [Int]? {
    let perByte = filter.nanosecondsPerTextByte
    guard perByte > 0 else { return sample }
    // A text is no longer than all properties.
    let times = sample.map { Double(index.record(at: $0).properties.count) * perByte }
    let step = max(1, Int((times.reduce(0, +) / IndexedCollection.quickTexts).rounded(.up)))
    guard sample.count / step >= IndexedCollection.fewest else { return nil }
    let part = stride(from: step / 2, to: sample.count, by: step)
    let longest = IndexedCollection.quickTexts / Double(IndexedCollection.fewest)
    return part.compactMap { times[$0] <= longest ? sample[$0] : nil }
  }

  /// The time that a look at texts may take for an estimate, in nanoseconds, and the fewest features of a sample.
  static let (quickTexts, fewest) = (100_000.0, 8)

  /// About how many different values of a property there are among features near each other; nil if that isn't
  /// known without reading records.
  public func valuesNearby(of property: [UInt8]) -> Double? {
    guard case .keys(let keys) = columns.existing(CachedColumn.Key(name: property, isKeys: true))
    else { return nil }
    let sample: [Int] = index.sampledOrdinals(128).filter {
      index.blocks[$0 >> PointIndex.blockBits].count > $0 & (PointIndex.maximumBlockCount - 1) + 1
    }
    let equal = sample.count { keys.rank(at: $0) == keys.rank(at: $0 + 1) }
    return min((Double(sample.count) + 1) / (Double(equal) + 1), Double(keys.keys.count))
  }
}
