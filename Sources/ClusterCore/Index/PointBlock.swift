/// A piece of a ``PointIndex`` that never changes: features that follow each other in index order,
/// their positions under a quadtree of their own, and where their records are.
final class PointBlock: Sendable {
  let positions: FixedArray<Position>
  let references: FixedArray<RecordReference>
  let tree: Quadtree

  /// Builds the tree over positions in Z-order, at least one, whose records are in an arena. O(n).
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

  /// The number of features.
  var count: Int { positions.count }

  /// The memory it takes, in bytes.
  var byteCount: Int { positions.byteCount + references.byteCount + tree.byteCount }
}

/// The raw parts of a block for loops that read them, as one index knows it; valid while that is kept
/// alive.
struct BlockPointers: BitwiseCopyable {
  let nodes: UnsafePointer<Quadtree.Node>
  let aggregates: UnsafePointer<Quadtree.Aggregate>
  /// Indexed by place: they point to where the index's place 0 would be.
  let positions: UnsafePointer<Position>
  let references: UnsafePointer<RecordReference>
  /// The place of its first feature; what places of its nodes' points begin at.
  let firstOrdinal: Int
  /// The number of features.
  let count: Int
  let nodeCount: Int
  /// Makes it a cache line.
  private let padding = 0

  init(_ block: PointBlock, firstOrdinal: Int) {
    nodes = UnsafePointer(block.tree.nodes.pointer)
    aggregates = UnsafePointer(block.tree.aggregates.pointer)
    positions = block.positions.startingAt(firstOrdinal)
    references = block.references.startingAt(firstOrdinal)
    self.firstOrdinal = firstOrdinal
    count = block.count
    nodeCount = block.tree.count
  }

  /// The same block where it is the block of another number.
  func moved(by places: Int) -> BlockPointers {
    places == 0 ? self : BlockPointers(moving: self, by: places)
  }

  private init(moving other: BlockPointers, by places: Int) {
    (nodes, aggregates, count, nodeCount) =
      (other.nodes, other.aggregates, other.count, other.nodeCount)
    positions = other.positions.numbered(from: places)
    references = other.references.numbered(from: places)
    firstOrdinal = other.firstOrdinal + places
  }

  /// The tree on top of blocks, which has no points of its own.
  init(top tree: Quadtree, of first: BlockPointers) {
    nodes = UnsafePointer(tree.nodes.pointer)
    aggregates = UnsafePointer(tree.aggregates.pointer)
    (positions, references, firstOrdinal, count) = (first.positions, first.references, 0, 0)
    nodeCount = tree.count
  }

  /// Its places.
  @inline(__always)
  var places: Range<Int> { firstOrdinal..<firstOrdinal &+ count }
}

extension FixedArray {
  /// What its elements are found by when the first of them has the given number.
  func startingAt(_ number: Int) -> UnsafePointer<Element> {
    UnsafePointer(pointer).numbered(from: number)
  }
}

extension UnsafePointer {
  /// What elements are found by when the one that had the number 0 gets another.
  func numbered(from number: Int) -> UnsafePointer {
    // By way of integers, for a pointer may not leave its memory, and what is read never does.
    let start = Int(bitPattern: self) &- number &* MemoryLayout<Pointee>.stride
    guard let result = UnsafePointer(bitPattern: start) else {
      preconditionFailure("no memory lies as low as it has numbers")
    }
    return result
  }
}

/// What the tree on top of blocks is made of.
struct BlockSummary: BitwiseCopyable {
  let first: Position
  let last: Position
  let root: Quadtree.Node
  let sum: Quadtree.Aggregate

  init(_ block: PointBlock) {
    first = block.positions.pointer[0]
    last = block.positions.pointer[block.count - 1]
    root = block.tree.nodes.pointer[0]
    sum = block.tree.aggregates.pointer[0]
  }
}
