/// The count, coordinate sums and first feature of one cell's features.
struct CellSum: BitwiseCopyable {
  var cell: CellPosition
  var sum = PointSum()
  /// The ordinal of the first feature.
  private(set) var first = Int.max
  /// The number of distinct locations of the features, if they are counted.
  var locations = 0
  /// The location of the last feature added, initially one that doesn't exist. Features are added in
  /// Z-order, so the features at one location are adjacent.
  private var lastLocation = Location(column: .max, row: .max)

  init(cell: CellPosition, first: Int = .max) {
    self.cell = cell
    self.first = first
  }

  var count: Int { sum.count }

  /// Records that a feature is one of the cell's.
  @inline(__always)
  mutating func begin(at ordinal: Int) { first = min(first, ordinal) }

  /// Adds the sum of other features of the cell, without their locations.
  mutating func add(_ other: CellSum) {
    begin(at: other.first)
    sum.add(other.sum)
  }

  /// Adds a feature.
  @inline(__always)
  mutating func add(_ ordinal: Int, in pointers: IndexPointers, countingLocations: Bool) {
    add(ordinal..<ordinal + 1, in: pointers, countingLocations: countingLocations)
  }

  /// Adds the features of a run.
  @inline(__always)
  mutating func add(_ points: Range<Int>, in pointers: IndexPointers, countingLocations: Bool) {
    sum.add(points, in: pointers)
    guard countingLocations else { return }
    let block = pointers.block(of: points.lowerBound)
    for ordinal in points {
      let location = block.positions[ordinal].location
      if location != lastLocation { locations += 1 }
      lastLocation = location
    }
  }

  /// Adds all features of a node. Only counting locations reads points: the first and the last one.
  @inline(__always)
  mutating func add(
    node: Int, _ points: Range<Int>, in pointers: IndexPointers, countingLocations: Bool
  ) {
    sum.add(node: node, in: pointers)
    guard countingLocations else { return }
    locations += Int(pointers.sum(node).pointee.locations)
    if pointers.position(points.lowerBound).location == lastLocation { locations -= 1 }
    lastLocation = pointers.position(points.upperBound - 1).location
  }
}
