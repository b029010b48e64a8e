import CVectors
import Threading

/// The memory in which a ``GridSummation`` works. It is used again by later ones, so that a summation
/// allocates nothing once there is enough.
///
/// `@unchecked Sendable`: only the thread that has taken it from the pool uses it.
final class GridScratch: @unchecked Sendable {
  /// A node within one cell.
  struct Whole: BitwiseCopyable {
    var sum: UnsafePointer<NodeSum>
    var box: PositionBox
    var first: Int
    var cell: CellPosition
  }

  /// A leaf that crosses a grid line or lies only partly in the region.
  struct Leaf: BitwiseCopyable {
    var begin: Int
    var end: Int
    var box: PositionBox
    var span: GridWindow.CellSpan

    @inline(__always)
    var points: Range<Int> { begin..<end }
  }

  /// Siblings that are to be visited.
  struct Siblings: BitwiseCopyable {
    /// The number of the first node.
    let first: Int
    let count: Int
  }

  let sums = CellSums()
  let wholes = Batch<Whole>(capacity: 64)
  let leaves = Batch<Leaf>(capacity: 32)
  var above = GrowingArray<Siblings>(capacity: 256)
  var inBlocks = GrowingArray<Siblings>(capacity: 256)
  var queue = GrowingArray<Siblings>(capacity: 256)
  /// The nodes that count as a whole for a ``FilteredSummation``, and the blocks that don't.
  var wholeNodes = GrowingArray<Siblings>(capacity: 256)
  var mixedNodes = GrowingArray<Int>(capacity: 256)
  var nodes = GrowingArray<Int>(capacity: 64)
  let window: UnsafeMutablePointer<cvectors_window>
  /// The results of the vectorized code for some siblings, and for some points.
  let cells: UnsafeMutablePointer<cvectors_cells>
  let points: UnsafeMutablePointer<cvectors_points>

  private static let idle = Locked<[GridScratch]>([])
  /// The most that are kept. More are in use only while groups are clustered, or by several threads.
  private static let mostIdle = 32

  private init() {
    window = .allocate(capacity: 1)
    window.initialize(to: cvectors_window())
    cells = .allocate(capacity: 1)
    cells.initialize(to: cvectors_cells())
    points = .allocate(capacity: 1)
    points.initialize(to: cvectors_points())
  }

  deinit {
    wholes.items.deallocate()
    leaves.items.deallocate()
    window.deallocate()
    cells.deallocate()
    points.deallocate()
  }

  /// Lends memory for the sums of some cells.
  static func with<R, E>(
    _ range: GridRange, _ body: (GridScratch) throws(E) -> R
  ) throws(E) -> R {
    let scratch = idle.withLock { $0.popLast() } ?? GridScratch()
    defer {
      if !scratch.sums.isLarge {
        idle.withLock { if $0.count < mostIdle { $0.append(scratch) } }
      }
    }
    scratch.sums.begin(range)
    return try body(scratch)
  }
}
