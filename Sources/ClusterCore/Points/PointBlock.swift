/// An immutable part of a ``PointIndex``: consecutive features in index order with their positions,
/// a quadtree of their own, and references to their records.
final class PointBlock: Sendable {
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  let tree: Quadtree

  /// Builds the quadtree over at least one position. The positions are in Z-order, and their
  /// records in `records`. O(n).
  convenience init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>,
    records: RecordArena
  ) {
    self.init(
      positions: positions, references: references,
      tree: QuadtreeBuilder.build(
        positions: positions.pointer, references: references.pointer, records: records,
        count: positions.count))
  }

  init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>, tree: Quadtree
  ) {
    (self.positions, self.references, self.tree) = (positions, references, tree)
  }

  var count: Int { positions.count }

  var byteCount: Int { positions.byteCount + references.byteCount + tree.byteCount }
}

/// The properties of a block that the tree on top of blocks is built from.
struct BlockSummary: BitwiseCopyable {
  let first: Position
  let last: Position
  let root: Quadtree.Node
  let sum: NodeSum

  init(_ block: PointBlock) {
    first = block.positions.pointer[0]
    last = block.positions.pointer[block.count - 1]
    root = block.tree.nodes.pointer[0]
    sum = block.tree.sums.pointer[0]
  }
}

/// Raw pointers into a block of one index for hot loops, valid while the index is kept alive.
struct BlockPointers: BitwiseCopyable {
  let nodes: UnsafePointer<Quadtree.Node>
  let sums: UnsafePointer<NodeSum>
  /// Subscripted by ordinal: points to where the feature with ordinal 0 of the index would be.
  private(set) var positions: UnsafePointer<Position>
  private(set) var references: UnsafePointer<RecordReference>
  /// The ordinal of the first feature, which nodes count their points from.
  private(set) var firstOrdinal: Int
  /// The number of features.
  let count: Int
  let nodeCount: Int
  /// Pads the size to a cache line.
  private let padding = 0

  init(_ block: PointBlock, firstOrdinal: Int) {
    nodes = block.tree.nodes.pointer
    sums = block.tree.sums.pointer
    positions = block.positions.pointer.numbered(from: firstOrdinal)
    references = block.references.pointer.numbered(from: firstOrdinal)
    self.firstOrdinal = firstOrdinal
    count = block.count
    nodeCount = block.tree.count
  }

  /// Returns the pointers for the same block where its ordinals are shifted by `offset`.
  func moved(by offset: Int) -> BlockPointers {
    if offset == 0 { return self }
    var moved = self
    moved.positions = positions.numbered(from: offset)
    moved.references = references.numbered(from: offset)
    moved.firstOrdinal += offset
    return moved
  }

  /// Creates the pointers for the tree on top of blocks, which has no points of its own.
  init(top tree: Quadtree, of first: BlockPointers) {
    nodes = tree.nodes.pointer
    sums = tree.sums.pointer
    (positions, references, firstOrdinal, count) = (first.positions, first.references, 0, 0)
    nodeCount = tree.count
  }

  /// The ordinals of the features.
  @inline(__always)
  var ordinals: Range<Int> { firstOrdinal..<firstOrdinal &+ count }
}
