import ClusterCore
import Synchronization

/// Eight by eight neighbouring cells of a grid. A slot is empty until a reader has encoded its cell, and
/// doesn't change after that.
///
/// `@unchecked Sendable`: the slots are atomic, and nothing else changes.
final class CellPage: @unchecked Sendable {
  /// Cells on each side.
  static let side = 8
  /// The number of low bits of a cell's column or row that tell the cell's slot within its page.
  static let bits = 3

  /// Where a page is in its grid.
  struct Position: Hashable {
    var column: Int
    var row: Int

    /// By column and row of pages.
    init(page column: Int, _ row: Int) { (self.column, self.row) = (column, row) }

    /// The page of a cell.
    init(column: Int, row: Int) { self.init(page: column >> bits, row >> bits) }

    // One word instead of two: this is looked up several times a request.
    func hash(into hasher: inout Hasher) {
      hasher.combine(column &+ row &* 0x1E37_79B9_7F4A_7C15)
    }
  }

  /// An encoded cell, or nil.
  typealias Slot = Atomic<UnsafeRawPointer?>

  /// The version of the collection from which on the cells are as they are encoded here.
  let version: Int64
  /// Row by row.
  let slots: UnsafeMutablePointer<Slot>
  private let memory: MemoryBudget

  private static let cellCount = side * side
  private static let size = 64 + cellCount * MemoryLayout<Slot>.stride

  /// A page without cells.
  init(from version: Int64, _ memory: MemoryBudget) {
    self.version = version
    self.memory = memory
    slots = .allocate(capacity: CellPage.cellCount)
    for index in 0..<CellPage.cellCount { (slots + index).initialize(to: Slot(nil)) }
    memory.add(CellPage.size)
  }

  /// A page with the cells of another.
  convenience init(copying other: CellPage, from version: Int64) {
    self.init(from: version, other.memory)
    for index in 0..<CellPage.cellCount {
      guard let address = other.slots[index].load(ordering: .acquiring) else { continue }
      EncodedCell(at: address).retain()
      slots[index].store(address, ordering: .relaxed)
    }
  }

  deinit {
    var freed = CellPage.size
    for index in 0..<CellPage.cellCount {
      if let address = slots[index].load(ordering: .acquiring) {
        freed += EncodedCell(at: address).release()
      }
    }
    slots.deinitialize(count: CellPage.cellCount)
    slots.deallocate()
    memory.add(-freed)
  }

  /// The slot of a cell, by its column and row in the grid.
  @inline(__always)
  func slot(column: Int, row: Int) -> UnsafeMutablePointer<Slot> {
    slots + CellPage.number(column: column, row: row)
  }

  /// The number of a cell's slot within its page.
  @inline(__always)
  static func number(column: Int, row: Int) -> Int {
    (row & (side - 1)) << bits | (column & (side - 1))
  }

  /// Puts a cell with one reference into its slot. If another reader was faster, that one's cell stays.
  func fill(column: Int, row: Int, with cell: EncodedCell) {
    let (isFirst, _) = slot(column: column, row: row).pointee.compareExchange(
      expected: nil, desired: cell.address, ordering: .acquiringAndReleasing)
    if isFirst { memory.add(cell.size) } else { _ = cell.release() }
  }

  /// Evicts a cell. No reader may have the page.
  func clear(column: Int, row: Int) {
    let address = slot(column: column, row: row).pointee.exchange(
      nil, ordering: .acquiringAndReleasing)
    if let address { memory.add(-EncodedCell(at: address).release()) }
  }
}
