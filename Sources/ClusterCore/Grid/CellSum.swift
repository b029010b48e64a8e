/// What the features of one cell add up to.
struct CellSum: BitwiseCopyable {
  var cell: CellPosition
  var sum = PointSum()
  /// The first feature in index order; while features are added only where to look for it, if
  /// `isFirstExact` is false.
  private(set) var first = Int.max
  private var isFirstExact = true
  /// How many locations the features are at; only if they are counted.
  var locations = 0
  /// The location of the last feature so far; at first none that exists. Features come in Z-order,
  /// so that those of one location follow each other.
  private var lastLocation = Location(column: .max, row: .max)

  init(cell: CellPosition, first: Int = .max) {
    self.cell = cell
    self.first = first
  }

  /// The number of features.
  var count: Int { sum.count }

  /// Notes that some of its features are in a run of places.
  ///
  /// - Parameter isExact: whether the run's first is one of them.
  @inline(__always)
  mutating func begin(at place: Int, isExact: Bool) {
    if place < first { (first, isFirstExact) = (place, isExact) }
  }

  /// Adds what other features of the cell add up to, but for their locations.
  mutating func add(_ other: CellSum) {
    begin(at: other.first, isExact: other.isFirstExact)
    sum.add(other.sum)
  }

  /// Finds the first feature, of which only the run is known.
  mutating func settleFirst(_ grid: CellGrid, in view: IndexPointers) {
    guard !isFirstExact else { return }
    // Runs don't overlap, so that it is in the first of them.
    let places = first..<view.block(of: first).ordinals.upperBound
    let window = GridWindow(
      GridRange(grid: grid, only: cell), cell.column..<cell.column + 1)
    first = places.first { window.contains($0, in: view) } ?? first
    isFirstExact = true
  }

  /// Adds a feature.
  @inline(__always)
  mutating func add(_ place: Int, in view: IndexPointers, countingLocations: Bool) {
    add(place..<place + 1, in: view, countingLocations: countingLocations)
  }

  /// Adds the features of a run.
  @inline(__always)
  mutating func add(_ points: Range<Int>, in view: IndexPointers, countingLocations: Bool) {
    sum.add(points, in: view)
    guard countingLocations else { return }
    let block = view.block(of: points.lowerBound)
    for place in points {
      let location = block.positions[place].location
      if location != lastLocation { locations += 1 }
      lastLocation = location
    }
  }

  /// Adds all features of a node. Locations cost a look at its first and last point, which the rest
  /// doesn't.
  @inline(__always)
  mutating func add(
    node: Int, _ points: Range<Int>, in view: IndexPointers, countingLocations: Bool
  ) {
    sum.add(node: node, in: view)
    guard countingLocations else { return }
    locations += Int(view.sums[node].pointee.locations)
    if view.positions[points.lowerBound].location == lastLocation { locations -= 1 }
    lastLocation = view.positions[points.upperBound - 1].location
  }
}
