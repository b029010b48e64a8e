import Threading

/// The memory in which a ``GridSummation`` works. It is used again by later ones, so that a summation
/// allocates nothing once there is enough.
///
/// `@unchecked Sendable`: only the thread that has taken it from the pool uses it.
final class GridScratch: @unchecked Sendable {
  /// Siblings that are to be visited.
  struct Siblings: BitwiseCopyable {
    /// The number of the first node.
    let first: Int
    let count: Int
  }

  let sums = CellSums()
  var above = GrowingArray<Siblings>(capacity: 256)
  var inBlocks = GrowingArray<Siblings>(capacity: 256)
  var queue = GrowingArray<Siblings>(capacity: 256)
  /// The nodes that count as a whole for a ``FilteredSummation``, and the blocks that don't.
  var wholeNodes = GrowingArray<Siblings>(capacity: 256)
  var mixedNodes = GrowingArray<Int>(capacity: 256)
  var nodes = GrowingArray<Int>(capacity: 64)
  /// The numbers of nodes of which vectors can't tell the cells.
  var uncertain = GrowingArray<UInt64>(capacity: 256)

  private static let idle = Locked<[GridScratch]>([])
  /// The most that are kept. More are in use only while groups are clustered, or by several threads.
  private static let mostIdle = 32

  private init() {}

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

  /// Has all processors add up `count` things, until there are more cells than `limit`. Parts of them are handed out one
  /// by one, as some processors may be busy otherwise.
  ///
  /// - Parameter add: adds up a part in memory of its own.
  func share(
    _ count: Int, limit: Int, _ add: @escaping @Sendable (GridScratch, Range<Int>) -> Void
  ) {
    let parts = 8 * ParallelWork.threads
    let found = Locked<(sums: [CellSum], isFull: Bool)>(([], false))
    ParallelWork.run(parts) { [cells = sums.cells] part in
      if found.withLock({ $0.isFull }) { return }
      GridScratch.with(cells) { scratch in
        add(scratch, count * part / parts..<count * (part + 1) / parts)
        found.withLock {
          $0.sums += scratch.sums.inNoOrder
          $0.isFull = $0.isFull || scratch.sums.count > limit
        }
      }
    }
    found.withLock { for sum in $0.sums { sums.sum(of: sum.cell).pointee.add(sum) } }
  }
}
