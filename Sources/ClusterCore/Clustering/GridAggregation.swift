/// What the features of one cell add up to.
struct CellSum {
  var cell: CellPosition
  var count = 0
  var latitudes: Int64 = 0
  var longitudes: Int64 = 0
  var bounds = GeoBounds.empty
  /// The first feature in index order.
  var first: Int
  /// How many locations the features are at.
  var locations = 0
  /// The location of the last feature so far. Features come in Z-order, so that those of one
  /// location follow each other.
  private var lastLocation: Location

  init(cell: CellPosition, first: Int, in view: IndexView) {
    self.cell = cell
    self.first = first
    // Anything but the first feature's own.
    lastLocation = Location(column: .max, row: .max)
  }

  @inline(__always)
  mutating func add(_ place: Int, in view: IndexView) {
    let coordinate = view.coordinates[place]
    count += 1
    latitudes += FixedDegrees.fixed(coordinate.latitude)
    longitudes += FixedDegrees.fixed(coordinate.foldedLongitude)
    bounds.formUnion(GeoBounds(coordinate))
    let location = view.positions[place].location
    if location != lastLocation { locations += 1 }
    lastLocation = location
  }

  @inline(__always)
  mutating func add(node: Int, _ points: Range<Int>, in view: IndexView) {
    let sum = view.aggregates[node]
    count += points.count
    latitudes += sum.latitudes
    longitudes += sum.longitudes
    bounds.formUnion(sum.bounds)
    locations += Int(sum.locations)
    if view.positions[points.lowerBound].location == lastLocation { locations -= 1 }
    lastLocation = view.positions[points.upperBound - 1].location
  }

  /// The mean coordinate: to 1e-8°, and never outside of the bounds.
  var mean: Coordinate {
    Coordinate(
      latitude: CellSum.mean(latitudes, count, bounds.south, bounds.north),
      longitude: CellSum.mean(longitudes, count, bounds.west, bounds.east))
  }

  private static func mean(_ sum: Int64, _ count: Int, _ low: Double, _ high: Double) -> Double {
    let mean = FixedDegrees.mean(sum: sum, count: count)
    // Eight decimals (a millimetre) print short and are finer than a cluster's position means anything.
    return min(max((mean * 1e8).rounded() / 1e8, low), high)
  }
}

/// Sums up a region's features by the cells of a grid range, in one descent of the tree: a node
/// within one cell is added whole, a node across a grid line is opened.
struct GridAggregation<Region: IndexRegion> {
  private let cells: GridRange
  private let region: Region
  private let excluded: PlaceSet
  private var slots: CellSlots
  private(set) var sums: [CellSum] = []

  /// The sums of the cells that hold any of the region's features, without the excluded ones; in
  /// row order, then by column.
  static func sums(
    of index: FeatureIndex, in region: Region, by cells: GridRange, excluding excluded: PlaceSet
  ) -> [CellSum] {
    var aggregation = GridAggregation(
      cells: cells, region: region, excluded: excluded, slots: CellSlots(cells))
    withExtendedLifetime(index) {
      for columns in cells.columnRanges { aggregation.descend(index.view, columns) }
    }
    return aggregation.slots.inOrder(aggregation.sums)
  }

  private init(cells: GridRange, region: Region, excluded: PlaceSet, slots: CellSlots) {
    self.cells = cells
    self.region = region
    self.excluded = excluded
    self.slots = slots
  }

  private mutating func descend(_ view: IndexView, _ columns: Range<Int>) {
    let grid = cells.grid
    let rows = cells.rows
    guard !columns.isEmpty, !rows.isEmpty else { return }
    let window = StepWindow(grid: grid, columns: columns, rows: rows)
    var node = 0
    while node < view.nodeCount {
      let box = view.nodes[node].box
      let skip = Int(view.nodes[node].skip)
      guard window.touches(box) else {
        node = skip
        continue
      }
      let (west, east) = (grid.cells(ofStep: box.minX).first, grid.cells(ofStep: box.maxX).last)
      let (north, south) = (grid.cells(ofStep: box.minY).first, grid.cells(ofStep: box.maxY).last)
      if west == east && north == south {
        // Within one cell.
        guard columns.contains(west), rows.contains(north) else {
          node = skip
          continue
        }
        let coverage = region.coverage(of: node, in: view)
        let points = view.points(of: node)
        if coverage == .outside {
          node = skip
          continue
        }
        if coverage == .inside && !excluded.intersects(points) {
          add(node, points, CellPosition(column: west, row: north), view)
          node = skip
          continue
        }
      }
      if skip == node + 1 { scan(node, columns, window, view) }
      node += 1
    }
  }

  @inline(__always)
  private mutating func add(
    _ node: Int, _ points: Range<Int>, _ cell: CellPosition, _ view: IndexView
  ) {
    let slot = slot(cell, points.lowerBound, view)
    sums.withUnsafeMutableBufferPointer { $0[slot].add(node: node, points, in: view) }
  }

  private mutating func scan(
    _ leaf: Int, _ columns: Range<Int>, _ window: StepWindow, _ view: IndexView
  ) {
    for place in view.points(of: leaf) where window.contains(view.positions[place]) {
      let cell = cells.grid.cell(of: place, in: view)
      guard columns.contains(cell.column), cells.rows.contains(cell.row),
        !excluded.contains(place), region.contains(place, in: view)
      else { continue }
      let slot = slot(cell, place, view)
      sums.withUnsafeMutableBufferPointer { $0[slot].add(place, in: view) }
    }
  }

  @inline(__always)
  private mutating func slot(_ cell: CellPosition, _ first: Int, _ view: IndexView) -> Int {
    let known = slots[cell]
    if known >= 0 { return known }
    let slot = sums.count
    sums.append(CellSum(cell: cell, first: first, in: view))
    slots[cell] = slot
    return slot
  }
}

/// The position steps that a window of cells can hold: a quick first test, generous by a step.
struct StepWindow {
  private var west: UInt32
  private var east: UInt32
  private var north: UInt32
  private var south: UInt32

  init(grid: CellGrid, columns: Range<Int>, rows: Range<Int>) {
    (west, east) = StepWindow.steps(columns, grid)
    (north, south) = StepWindow.steps(rows, grid)
  }

  private static func steps(_ cells: Range<Int>, _ grid: CellGrid) -> (UInt32, UInt32) {
    let stepsPerCell = grid.cellMapSize * Position.stepsPerMapPoint
    let low = (Double(cells.lowerBound) * stepsPerCell - 1).rounded(.down)
    let high = (Double(cells.upperBound) * stepsPerCell + 1).rounded(.up)
    return (UInt32(max(low, 0)), UInt32(min(high, 4_294_967_295)))
  }

  @inline(__always)
  func touches(_ box: PositionBox) -> Bool {
    box.maxX >= west && box.minX <= east && box.maxY >= north && box.minY <= south
  }

  @inline(__always)
  func contains(_ position: Position) -> Bool {
    position.x >= west && position.x <= east && position.y >= north && position.y <= south
  }
}
