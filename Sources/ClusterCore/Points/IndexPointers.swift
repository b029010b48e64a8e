import CHints

/// The raw parts of an index for loops that read them; valid while the index is kept alive.
///
/// A node is known by the table that it is in (a block's, or after the blocks' the tree on top) and its
/// place there. In an index of one block nodes are numbered from 0.
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

  /// The node of everything; there is none without features.
  @inline(__always)
  var root: Int { blockBits == 63 ? 0 : blockCount << IndexPointers.tableBits }

  /// Whether a node is one of the tree on top of blocks.
  @inline(__always)
  func isAboveBlocks(_ node: Int) -> Bool {
    blockBits != 63 && node &>> IndexPointers.tableBits == blockCount
  }

  /// The number of nodes of an index of one block, which are numbered from 0.
  var nodeCount: Int { blocks[0].nodeCount }

  /// The block of a place.
  @inline(__always)
  func block(of place: Int) -> BlockPointers { blocks[place &>> blockBits] }

  /// Positions by place.
  @inline(__always)
  var positions: Positions { Positions(view: self) }

  /// Coordinates by place, which the records have: far off, and so for single features only.
  @inline(__always)
  var coordinates: Coordinates { Coordinates(view: self) }

  /// Nodes by what they are known by.
  @inline(__always)
  var nodes: Nodes { Nodes(view: self) }

  /// What is added up for a node.
  @inline(__always)
  var aggregates: Aggregates { Aggregates(view: self) }

  struct Positions {
    fileprivate let view: IndexPointers
    @inline(__always)
    subscript(_ place: Int) -> Position { view.block(of: place).positions[place] }
  }

  struct Coordinates {
    fileprivate let view: IndexPointers
    @inline(__always)
    subscript(_ place: Int) -> Coordinate {
      view.records[view.block(of: place).references[place]].coordinate
    }
  }

  struct Nodes {
    fileprivate let view: IndexPointers
    @inline(__always)
    subscript(_ node: Int) -> Quadtree.Node {
      view.blocks[node &>> IndexPointers.tableBits].nodes[node & IndexPointers.tableMask]
    }
  }

  struct Aggregates {
    fileprivate let view: IndexPointers
    @inline(__always)
    subscript(_ node: Int) -> UnsafePointer<Quadtree.Aggregate> {
      view.blocks[node &>> IndexPointers.tableBits].aggregates + (node & IndexPointers.tableMask)
    }
  }

  /// The places of a node's points, from the first to the last: one run, but for the nodes above
  /// blocks; see ``forEachRun(of:_:)`` and ``count(of:)``.
  @inline(__always)
  func points(of node: Int) -> Range<Int> { points(of: node, nodes[node]) }

  /// As above, of a node that was looked up already.
  @inline(__always)
  func points(of node: Int, _ own: Quadtree.Node) -> Range<Int> {
    let first = blocks[node &>> IndexPointers.tableBits].firstOrdinal
    return first &+ Int(own.begin)..<first &+ Int(own.end)
  }

  /// The number of a node's points.
  @inline(__always)
  func count(of node: Int) -> Int { Int(aggregates[node].pointee.count) }

  /// Calls `body` with the runs of a node's places in index order until it returns false; whether it
  /// never did.
  @inline(__always)
  func forEachRun(of node: Int, _ body: (Range<Int>) -> Bool) -> Bool {
    let points = self.points(of: node)
    let (first, last) = (points.lowerBound &>> blockBits, (points.upperBound &- 1) &>> blockBits)
    if first == last { return body(points) }
    return (first...last).allSatisfy { body(blocks[$0].places) }
  }

  /// Where a node lies, and behind it its siblings that follow it.
  @inline(__always)
  func pointer(to node: Int) -> UnsafePointer<Quadtree.Node> {
    blocks[node &>> IndexPointers.tableBits].nodes + (node & IndexPointers.tableMask)
  }

  /// What the children of a node are known by, side by side; none for a leaf.
  @inline(__always)
  func children(of node: Int) -> Range<Int> { children(of: node, nodes[node]) }

  /// As above, of a node that was looked up already.
  @inline(__always)
  func children(of node: Int, _ own: Quadtree.Node) -> Range<Int> {
    let table =
      own.table == Quadtree.ownTable
      ? node & ~IndexPointers.tableMask : Int(own.table) &<< IndexPointers.tableBits
    let children = own.children
    return table &+ children.lowerBound..<table &+ children.upperBound
  }

  /// What becomes of a node in a traversal.
  enum Visit {
    /// On to the next one that isn't below it.
    case skip
    /// Its children next; a leaf has none.
    case open
    /// No more nodes.
    case stop
  }

  /// Visits nodes in index order, parents before their children, which are only visited where the
  /// parent is opened.
  @inline(__always)
  func traverse(_ visit: (Int) -> Visit) {
    guard count > 0 else { return }
    // The siblings that are still to be visited on each level, of the tree on top and of a block's.
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
        switch visit(node) {
        case .stop: return
        case .skip: break
        case .open:
          let children = self.children(of: node)
          depth += 1
          stack[depth] = children
          // The first child's children come next in the table; those of its siblings are far off.
          for child in children.dropFirst() { prefetchNode(self.children(of: child).lowerBound) }
        }
      }
    }
  }

  /// The levels of two quadtrees, and those of blocks that begin at one position, of which there are
  /// less than 2^22.
  private static let maximumDepth = 2 * Quadtree.maximumDepth + 12

  @inline(__always)
  private func prefetchNode(_ node: Int) { chints_prefetch(pointer(to: node)) }

  /// Asks for the position at a place.
  @inline(__always)
  func prefetchPosition(_ place: Int) { chints_prefetch(block(of: place).positions + place) }

  /// Asks for what tells where a node lies.
  @inline(__always)
  func prefetchTable(of node: Int) { chints_prefetch(blocks + node &>> IndexPointers.tableBits) }

  /// Asks for what is added up for a node.
  @inline(__always)
  func prefetchAggregate(_ node: Int) { chints_prefetch(aggregates[node]) }
}
