/// Builds the tree on top of blocks, whose leaves lead into the trees of the blocks.
struct TopTreeBuilder {
  private let blocks: UnsafePointer<BlockSummary>
  private var nodes: GrowingArray<Quadtree.Node>
  private var sums: GrowingArray<NodeSum>

  /// Returns the tree over blocks in index order. O(blocks).
  static func build(over blocks: UnsafePointer<BlockSummary>, count: Int) -> Quadtree {
    var builder = TopTreeBuilder(
      blocks: blocks, nodes: GrowingArray(capacity: count * 3 / 2),
      sums: GrowingArray(capacity: count * 3 / 2))
    if count > 0 {
      builder.append(0..<count)
      builder.fill(0, 0..<count)
    }
    return Quadtree(nodes: builder.nodes.fixed, sums: builder.sums.fixed)
  }

  /// Appends the node of some blocks, which is complete only if it is a single block.
  private mutating func append(_ range: Range<Int>) {
    let (block, last) = (blocks[range.lowerBound], range.upperBound - 1)
    var node = Quadtree.Node(
      begin: range.lowerBound << PointIndex.blockBits,
      end: last << PointIndex.blockBits + Int(blocks[last].sum.count), box: block.root.box)
    if range.count == 1 {
      node.children = block.root.children
      node.table = UInt32(range.lowerBound)
    }
    nodes.append(node)
    sums.append(range.count == 1 ? block.sum : NodeSum())
  }

  /// Finishes the node of some blocks and its descendants down to the blocks. The depth is that of
  /// a quadtree, and logarithmic in the number of blocks that begin at the same position.
  private mutating func fill(_ node: Int, _ range: Range<Int>) {
    guard range.count > 1 else { return }
    let firstChild = nodes.count
    let parts = parts(of: range)
    for part in parts { append(part) }
    nodes.pointer[node].children = firstChild..<nodes.count
    var sum = NodeSum()
    for (number, part) in parts.enumerated() {
      let child = firstChild + number
      fill(child, part)
      nodes.pointer[node].box.formUnion(nodes.pointer[child].box)
      sum.add(sums.pointer[child])
      guard number > 0 else { continue }
      let (before, after) = (blocks[part.lowerBound - 1].last, blocks[part.lowerBound].first)
      if before.location == after.location { sum.locations -= 1 }
    }
    sums.pointer[node] = sum
  }

  /// Divides two or more blocks by the quadrants that they begin in, or else into equal parts.
  private func parts(of range: Range<Int>) -> [Range<Int>] {
    let (low, high) = (blocks[range.lowerBound].first, blocks[range.upperBound - 1].first)
    let difference = (low.x ^ high.x) | (low.y ^ high.y)
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    let shift = UInt32(31 - (difference | 1).leadingZeroBitCount)
    while start < range.upperBound {
      let stop =
        difference == 0
        ? min(start + (range.count + 3) / 4, range.upperBound)
        : (start + 1..<range.upperBound).partitionPoint {
          blocks[$0].first.isInQuadrant(of: blocks[start].first, size: shift)
        }
      parts.append(start..<stop)
      start = stop
    }
    return parts
  }
}
