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
    let places = first..<view.block(of: first).places.upperBound
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
    locations += Int(view.aggregates[node].pointee.locations)
    if view.positions[points.lowerBound].location == lastLocation { locations -= 1 }
    lastLocation = view.positions[points.upperBound - 1].location
  }
}

/// The sums of a grid range's cells, by cell: a table for ranges of up to a million cells, a
/// dictionary for larger, sparse ones.
///
/// A class, and its memory unmanaged, because the loops that fill it touch it millions of times a
/// second: no uniqueness test, no bounds check. Indices are slots that it gave out itself, and
/// places of cells that the caller has found to be in the range.
final class CellSums {
  /// The range.
  let cells: GridRange
  private var slots: UnsafeMutablePointer<Int32>?
  private var sparse: [CellPosition: Int] = [:]
  private var capacity = 256
  private var storage: UnsafeMutablePointer<CellSum>
  private(set) var count = 0

  init(_ cells: GridRange) {
    self.cells = cells
    storage = .allocate(capacity: capacity)
    if cells.count <= Double(Viewport.maximumCells) {
      let table = UnsafeMutablePointer<Int32>.allocate(capacity: max(Int(cells.count), 1))
      table.initialize(repeating: -1, count: max(Int(cells.count), 1))
      slots = table
    }
  }

  deinit {
    storage.deallocate()
    slots?.deallocate()
  }

  /// The sum of a cell of the range, made if need be; valid until the next call.
  @inline(__always)
  func sum(of cell: CellPosition) -> UnsafeMutablePointer<CellSum> {
    guard let slots else { return sparseSum(of: cell) }
    var column = cell.column - cells.firstColumn
    if column < 0 { column += cells.grid.cellsPerWorld }
    let place = (cell.row - cells.rows.lowerBound) * cells.columnCount + column
    let slot = slots[place]
    if slot >= 0 { return storage + Int(slot) }
    slots[place] = Int32(count)
    return append(CellSum(cell: cell))
  }

  private func sparseSum(of cell: CellPosition) -> UnsafeMutablePointer<CellSum> {
    if let slot = sparse[cell] { return storage + slot }
    sparse[cell] = count
    return append(CellSum(cell: cell))
  }

  private func append(_ sum: CellSum) -> UnsafeMutablePointer<CellSum> {
    if count == capacity {
      let larger = UnsafeMutablePointer<CellSum>.allocate(capacity: capacity * 2)
      larger.update(from: storage, count: count)
      storage.deallocate()
      (storage, capacity) = (larger, capacity * 2)
    }
    let place = storage + count
    place.initialize(to: sum)
    count += 1
    return place
  }

  /// Finds the first feature of each cell; see ``CellSum/settleFirst(_:in:)``.
  func settleFirsts(in view: IndexPointers) {
    for number in 0..<count { view.prefetchPosition(storage[number].first) }
    for number in 0..<count { storage[number].settleFirst(cells.grid, in: view) }
  }

  /// All sums, as their cells were met.
  var inNoOrder: [CellSum] { Array(UnsafeBufferPointer(start: storage, count: count)) }

  /// All sums, by row and column.
  var inOrder: [CellSum] {
    if let slots, cells.count < Double(count * 8 + 1000) {
      var sums: [CellSum] = []
      sums.reserveCapacity(count)
      let ranges = cells.columnRanges
      for row in 0..<cells.rows.count {
        for columns in ranges {
          var first = columns.lowerBound - cells.firstColumn
          if first < 0 { first += cells.grid.cellsPerWorld }
          let line = slots + row * cells.columnCount + first
          for offset in 0..<columns.count where line[offset] >= 0 {
            sums.append(storage[Int(line[offset])])
          }
        }
      }
      return sums
    }
    var sums = inNoOrder
    sums.sort { ($0.cell.row, $0.cell.column) < ($1.cell.row, $1.cell.column) }
    return sums
  }
}

/// A few places of an index, such as those of the features that are kept apart.
struct OrdinalSet: Sendable {
  /// Ascending, without duplicates.
  let places: [Int]

  init(_ places: some Sequence<Int>) { self.places = Set(places).sorted() }

  var isEmpty: Bool { places.isEmpty }

  func contains(_ place: Int) -> Bool { places.isEmpty ? false : places.contains(place) }

  func intersects(_ range: Range<Int>) -> Bool {
    if places.isEmpty { return false }
    return places.contains { range.contains($0) }
  }
}
