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
    sums.sort { $0.cell < $1.cell }
    return sums
  }
}
