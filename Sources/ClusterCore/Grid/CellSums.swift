/// The sums of the cells of a grid range: a table for ranges of up to a million cells, a dictionary
/// for larger, sparse ones.
///
/// This is a class with unmanaged memory because the loops that fill it access it millions of times a
/// second: there are no uniqueness or bounds checks. They aren't needed: indices are either slots that
/// the class assigned itself, or come from cells that the caller has found to be in the range.
final class CellSums {
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

  /// The sum of a cell of the range, created if necessary. The pointer is valid until the next call.
  @inline(__always)
  func sum(of cell: CellPosition) -> UnsafeMutablePointer<CellSum> {
    guard let slots else { return sparseSum(of: cell) }
    let column = cells.offset(ofColumn: cell.column)
    let index = (cell.row - cells.rows.lowerBound) * cells.columnCount + column
    let slot = slots[index]
    if slot >= 0 { return storage + Int(slot) }
    slots[index] = Int32(count)
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
    let pointer = storage + count
    pointer.initialize(to: sum)
    count += 1
    return pointer
  }

  /// Finds the first feature of each cell; see ``CellSum/resolveFirst(_:in:)``.
  func resolveFirsts(in pointers: IndexPointers) {
    for number in 0..<count { pointers.prefetchPosition(storage[number].first) }
    for number in 0..<count { storage[number].resolveFirst(cells.grid, in: pointers) }
  }

  /// All sums, in no particular order.
  var inNoOrder: [CellSum] { Array(UnsafeBufferPointer(start: storage, count: count)) }

  /// All sums, ordered by row and column.
  var inOrder: [CellSum] {
    if let slots, cells.count < Double(count * 8 + 1000) {
      var sums: [CellSum] = []
      sums.reserveCapacity(count)
      let ranges = cells.columnRanges
      for row in 0..<cells.rows.count {
        for columns in ranges {
          let line = slots + row * cells.columnCount + cells.offset(ofColumn: columns.lowerBound)
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
