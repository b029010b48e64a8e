import CHints
import Threading

/// Raw pointers into an index for hot loops, valid while the index is kept alive.
///
/// A node's number consists of its table (that of a block, or the one after the blocks' for the
/// tree on top) and its index in the table. In an index of one block nodes are numbered from 0.
struct IndexPointers {
  let blocks: UnsafePointer<BlockPointers>
  let blockBits: Int
  let blockCount: Int
  /// The number of features.
  let count: Int
  let records: RecordTable
  let degrees = StepDegrees.shared

  private static let tableBits = 32
  private static let tableMask = 1 << 32 - 1

  /// The root node, which exists only if there are features.
  @inline(__always)
  var root: Int { blockBits == 63 ? 0 : blockCount << IndexPointers.tableBits }

  /// Returns whether a node belongs to the tree on top of blocks.
  @inline(__always)
  func isAboveBlocks(_ node: Int) -> Bool {
    blockBits != 63 && node &>> IndexPointers.tableBits == blockCount
  }

  /// The number of the block that all points of a node are in, of an index of blocks; nil if there are several.
  @inline(__always)
  func block(holding node: Int, _ own: Quadtree.Node) -> Int? {
    guard isAboveBlocks(node) else { return node &>> IndexPointers.tableBits }
    return own.table == Quadtree.ownTable ? nil : Int(own.table)
  }

  /// The number of nodes in an index of one block.
  var nodeCount: Int { blocks[0].nodeCount }

  /// Returns the number of nodes in the table of a node.
  @inline(__always)
  func nodeCount(beside node: Int) -> Int { blocks[node &>> IndexPointers.tableBits].nodeCount }

  /// Returns the block of the feature with an ordinal.
  @inline(__always)
  func block(of ordinal: Int) -> BlockPointers { blocks[ordinal &>> blockBits] }

  /// Returns the position of the feature with an ordinal.
  @inline(__always)
  func position(_ ordinal: Int) -> Position { block(of: ordinal).positions[ordinal] }

  /// Returns the coordinate of the feature with an ordinal. It is read from the record, which costs a cache miss.
  @inline(__always)
  func coordinate(_ ordinal: Int) -> Coordinate {
    records[block(of: ordinal).references[ordinal]].coordinate
  }

  /// Returns the node with a number.
  @inline(__always)
  func node(_ number: Int) -> Quadtree.Node { pointer(to: number).pointee }

  /// Returns the sum of the node with a number.
  @inline(__always)
  func sum(_ node: Int) -> UnsafePointer<NodeSum> {
    blocks[node &>> IndexPointers.tableBits].sums + (node & IndexPointers.tableMask)
  }

  /// Returns the range from the first to the last ordinal of a node's points. It is a run except
  /// for nodes above blocks; see ``forEachRun(of:_:)`` and ``count(of:)``.
  @inline(__always)
  func points(of node: Int) -> Range<Int> { points(of: node, self.node(node)) }

  /// Returns the same as ``points(of:)`` for a node that was already looked up.
  @inline(__always)
  func points(of node: Int, _ own: Quadtree.Node) -> Range<Int> {
    let first = blocks[node &>> IndexPointers.tableBits].firstOrdinal
    return first &+ Int(own.begin)..<first &+ Int(own.end)
  }

  /// Returns the number of a node's points.
  @inline(__always)
  func count(of node: Int) -> Int { Int(sum(node).pointee.count) }

  /// Calls `body` with the runs of a node's ordinals in index order until it returns false. Returns
  /// false if `body` did.
  @inline(__always)
  func forEachRun(of node: Int, _ body: (Range<Int>) -> Bool) -> Bool {
    let points = self.points(of: node)
    let (first, last) = (points.lowerBound &>> blockBits, (points.upperBound &- 1) &>> blockBits)
    if first == last { return body(points) }
    return (first...last).allSatisfy { body(blocks[$0].ordinals) }
  }

  /// Returns the address of a node, which its later siblings follow.
  @inline(__always)
  func pointer(to node: Int) -> UnsafePointer<Quadtree.Node> {
    blocks[node &>> IndexPointers.tableBits].nodes + (node & IndexPointers.tableMask)
  }

  /// Returns the numbers of a node's children, which are consecutive. Empty for a leaf.
  @inline(__always)
  func children(of node: Int) -> Range<Int> { children(of: node, self.node(node)) }

  /// Returns the same as ``children(of:)`` for a node that was already looked up.
  @inline(__always)
  func children(of node: Int, _ own: Quadtree.Node) -> Range<Int> {
    let table =
      own.table == Quadtree.ownTable
      ? node & ~IndexPointers.tableMask : Int(own.table) &<< IndexPointers.tableBits
    let children = own.children
    return table &+ children.lowerBound..<table &+ children.upperBound
  }

  /// How a traversal continues after a node.
  enum Visit {
    /// Continues with the next node that isn't a descendant.
    case skip
    /// Continues with its children, if it has any.
    case open
    /// Ends the traversal.
    case stop
  }

  /// Visits nodes in index order and parents before their children, which are visited only if
  /// `visit` opens the parent.
  @inline(__always)
  func traverse(_ visit: (Int) -> Visit) {
    guard count > 0 else { return }
    // The siblings still to be visited on each level of the tree on top and of a block's tree.
    withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: IndexPointers.maximumDepth) {
      stack in
      stack[0] = root..<root + 1
      var depth = 0
      while depth >= 0 {
        let siblings = stack[depth]
        guard let node = siblings.first else {
          depth -= 1
          continue
        }
        stack[depth] = siblings.dropFirst()
        // Only lets others work: what visits nodes relies on seeing all of them.
        Cancellation.poll(20)
        switch visit(node) {
        case .stop: return
        case .skip: break
        case .open:
          let children = self.children(of: node)
          depth += 1
          stack[depth] = children
          // The first child's children are next in the table; those of its siblings are far away.
          for child in children.dropFirst() { prefetchNode(self.children(of: child).lowerBound) }
        }
      }
    }
  }

  /// The levels of two quadtrees and of the fewer than 2^22 blocks that begin at one position.
  private static let maximumDepth = 2 * Quadtree.maximumDepth + 12

  @inline(__always)
  private func prefetchNode(_ node: Int) { chints_prefetch(pointer(to: node)) }

  /// Prefetches the position of a feature.
  @inline(__always)
  func prefetchPosition(_ ordinal: Int) { chints_prefetch(block(of: ordinal).positions + ordinal) }

  /// Prefetches the reference to the record of a feature.
  @inline(__always)
  func prefetchReference(_ ordinal: Int) {
    chints_prefetch(block(of: ordinal).references + ordinal)
  }

  /// Prefetches the record of a feature, given that the reference to it is at hand.
  @inline(__always)
  func prefetchRecord(_ ordinal: Int) {
    let start = records[block(of: ordinal).references[ordinal]].base
    // The head, and the line behind it with the first of the properties.
    chints_prefetch(start)
    chints_prefetch(start + 64)
  }

  /// Prefetches the pointers to the table of a node.
  @inline(__always)
  func prefetchTable(of node: Int) { chints_prefetch(blocks + node &>> IndexPointers.tableBits) }
}
