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
