import CVectors

/// The sums of the cells of a grid range, found by cell in a table: one with a place for each cell, or for
/// large, sparse ranges one in which cells are looked up by a hash.
///
/// This is a class with unmanaged memory because the loops that fill it access it millions of times a
/// second: there are no uniqueness or bounds checks. They aren't needed: indices are either slots that
/// the class assigned itself, or come from cells that the caller has found to be in the range.
///
/// The memory stays for the next range. Then only those places of the table are cleared that were used.
final class CellSums {
  private(set) var cells = GridRange(
    grid: CellGrid(cellsPerWorld: 1), only: CellPosition(column: 0, row: 0))
  private(set) var count = 0
  private var capacity = 256
  private var storage: UnsafeMutablePointer<CellSum>
  /// The slots of cells, and −1 where there is none.
  private var table: UnsafeMutablePointer<Int32>
  private var tableSize = 1 << 10
  /// Whether the table has a place for each cell, so that it can be lent.
  private(set) var isDirect = true
  /// The slots by row and column of their cells.
  private var order: UnsafeMutablePointer<Int32>
  private let figures = CellFigures()

  /// The most cells with a place each; the size of the first table of larger ranges.
  private static let mostDirect = 1 << 16
  /// The most memory that is worth keeping, in sums.
  private static let mostKept = 1 << 14

  init() {
    storage = .allocate(capacity: capacity)
    order = .allocate(capacity: capacity)
    table = CellSums.emptyTable(tableSize)
  }

  deinit {
    storage.deallocate()
    order.deallocate()
    table.deallocate()
    figures.deallocate()
  }

  private static func emptyTable(_ size: Int) -> UnsafeMutablePointer<Int32> {
    let table = UnsafeMutablePointer<Int32>.allocate(capacity: size)
    table.initialize(repeating: -1, count: size)
    return table
  }

  /// Whether it has grown larger than nearly any request needs.
  var isLarge: Bool { capacity > CellSums.mostKept || tableSize > CellSums.mostDirect }

  /// Starts over with the cells of a range.
  func begin(_ cells: GridRange) {
    clear()
    self.cells = cells
    isDirect = cells.count <= Double(CellSums.mostDirect)
    let wanted = isDirect ? Int(cells.count) : CellSums.mostDirect
    guard wanted > tableSize else { return }
    table.deallocate()
    tableSize = max(wanted, tableSize * 2)
    if !isDirect { tableSize = wanted }
    table = CellSums.emptyTable(tableSize)
  }

  private func clear() {
    if isDirect {
      for slot in 0..<count { table[place(of: storage[slot].cell)] = -1 }
    } else {
      table.update(repeating: -1, count: tableSize)
    }
    count = 0
  }

  /// The sum of a cell of the range, created if necessary. The pointer is valid until the next call.
  @inline(__always)
  func sum(of cell: CellPosition) -> UnsafeMutablePointer<CellSum> {
    guard isDirect else { return sparseSum(of: cell) }
    let place = place(of: cell)
    let slot = table[place]
    if slot >= 0 { return storage + Int(slot) }
    return append(CellSum(cell: cell), at: place)
  }

  /// Lends the sums and the table to vectorized code, with room for those of all cells of the range that may hold any of
  /// some more features.
  ///
  /// - Precondition: ``isDirect``.
  func withTable<R>(
    forMore features: Int, _ body: (UnsafeMutablePointer<cvectors_table>) -> R
  ) -> R {
    makeRoom(for: min(Int(cells.count), count + features))
    return UnsafeMutableRawPointer(storage).withMemoryRebound(
      to: cvectors_cell.self, capacity: capacity
    ) { storage in
      var lent = cvectors_table(
        cells: storage, slots: table, count: UInt64(count),
        first_column: UInt64(cells.firstColumn), first_row: UInt64(cells.rows.lowerBound),
        columns_in_row: UInt64(cells.columnCount), cells_per_world: UInt64(cells.grid.cellsPerWorld)
      )
      defer { count = Int(truncatingIfNeeded: lent.count) }
      return body(&lent)
    }
  }

  @inline(__always)
  private func place(of cell: CellPosition) -> Int {
    (cell.row &- cells.rows.lowerBound) &* cells.columnCount &+ cells.offset(ofColumn: cell.column)
  }

  /// The place of a cell in a table that is searched, or the empty one where it belongs.
  private func search(_ cell: CellPosition) -> Int {
    // tableSize is a power of two here, and at most half full.
    let mask = UInt(tableSize - 1)
    let bits = UInt(bitPattern: cell.column) &+ UInt(bitPattern: cell.row) &* 0x9E37_79B9_7F4A_7C15
    var place = (bits &* 0x9E37_79B9_7F4A_7C15) >> 40 & mask
    while table[Int(place)] >= 0, storage[Int(table[Int(place)])].cell != cell {
      place = (place + 1) & mask
    }
    return Int(place)
  }

  @inline(never)
  private func sparseSum(of cell: CellPosition) -> UnsafeMutablePointer<CellSum> {
    let place = search(cell)
    if table[place] >= 0 { return storage + Int(table[place]) }
    guard count * 2 >= tableSize else { return append(CellSum(cell: cell), at: place) }
    table.deallocate()
    tableSize *= 2
    table = CellSums.emptyTable(tableSize)
    for slot in 0..<count { table[search(storage[slot].cell)] = Int32(slot) }
    return append(CellSum(cell: cell), at: search(cell))
  }

  @inline(never)
  private func append(_ sum: CellSum, at place: Int) -> UnsafeMutablePointer<CellSum> {
    makeRoom(for: count + 1)
    table[place] = Int32(count)
    let pointer = storage + count
    pointer.initialize(to: sum)
    count += 1
    return pointer
  }

  private func makeRoom(for wanted: Int) {
    guard wanted > capacity else { return }
    let larger = UnsafeMutablePointer<CellSum>.allocate(capacity: max(capacity * 2, wanted))
    larger.update(from: storage, count: count)
    storage.deallocate()
    (storage, capacity) = (larger, max(capacity * 2, wanted))
    order.deallocate()
    order = .allocate(capacity: capacity)
  }

  /// All sums, in no particular order.
  var inNoOrder: UnsafeBufferPointer<CellSum> { UnsafeBufferPointer(start: storage, count: count) }

  /// Calls `body` with all sums, ordered by row and column.
  @inline(__always)
  func forEachInOrder<E>(_ body: (CellSum) throws(E) -> Void) throws(E) {
    sort()
    for number in 0..<count { try body(storage[Int(order[number])]) }
  }

  /// Calls `body` with all sums, ordered by row and column, and their means and bounds.
  @inline(__always)
  func forEachWithFigures<E>(_ body: (CellSum, CellFigures.Cell) throws(E) -> Void) throws(E) {
    try forEachBatch { (slots, count, figures) throws(E) in
      for index in 0..<count { try body(storage[Int(slots[index])], figures[index]) }
    }
  }

  /// Calls `body` with the slots of some sums after the other, ordered by row and column, and their means and
  /// bounds.
  @inline(__always)
  func forEachBatch<E>(
    _ body: (UnsafePointer<Int32>, _ count: Int, CellFigures) throws(E) -> Void
  ) throws(E) {
    sort()
    var number = 0
    while number < count {
      let some = min(CellFigures.most, count &- number)
      figures.find(of: storage, order + number, count: some)
      try body(order + number, some, figures)
      number &+= some
    }
  }

  /// The sum in a slot.
  @inline(__always)
  subscript(_ slot: Int32) -> UnsafePointer<CellSum> { UnsafePointer(storage + Int(slot)) }

  /// Fetches the records of single features, which are far apart in memory, while there is other work.
  ///
  /// - Parameter pointers: to an index that is kept alive.
  func prefetchPins(_ pointers: IndexPointers) {
    for sum in inNoOrder where sum.count == 1 { pointers.prefetchReference(sum.first) }
    for sum in inNoOrder where sum.count == 1 { pointers.prefetchRecord(sum.first) }
  }

  private func sort() {
    guard isDirect, cells.count < Double(count * 8 + 1000) else {
      for number in 0..<count { order[number] = Int32(number) }
      let storage = storage
      var slots = UnsafeMutableBufferPointer(start: order, count: count)
      slots.sort {
        storage[Int($0)].cell < storage[Int($1)].cell
      }
      return
    }
    var next = order
    func append(_ slot: Int32) {
      guard slot >= 0 else { return }
      next.pointee = slot
      next += 1
    }
    let (past, upTo) = (cells.columnsPastAntimeridian, cells.columnsToAntimeridian)
    for row in 0..<cells.rows.count {
      let line = table + row * cells.columnCount
      for column in past { append(line[cells.offset(ofColumn: column)]) }
      for column in upTo { append(line[cells.offset(ofColumn: column)]) }
    }
  }
}
