/// Builds the tree on top of blocks: its leaves stand for blocks and lead into their own trees.
struct TopTreeBuilder {
  private let blocks: UnsafePointer<BlockSummary>
  private var nodes: GrowingArray<Quadtree.Node>
  private var aggregates: GrowingArray<Quadtree.Aggregate>

  /// The tree over blocks in index order. O(blocks).
  static func build(over blocks: UnsafePointer<BlockSummary>, count: Int) -> Quadtree {
    var builder = TopTreeBuilder(blocks, expecting: count * 3 / 2)
    if count > 0 {
      builder.append(0..<count)
      builder.fill(0, 0..<count)
    }
    return Quadtree(nodes: builder.nodes.fixed, aggregates: builder.aggregates.fixed)
  }

  private init(_ blocks: UnsafePointer<BlockSummary>, expecting count: Int) {
    self.blocks = blocks
    nodes = GrowingArray(capacity: count)
    aggregates = GrowingArray(capacity: count)
  }

  /// Appends a node for some blocks: finished if it is one, unfinished otherwise.
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
    aggregates.append(range.count == 1 ? block.sum : Quadtree.Aggregate())
  }

  /// Finishes the node of some blocks and everything below it, down to the blocks. The depth is that
  /// of a quadtree, and where blocks begin at one position, logarithmic in their number.
  private mutating func fill(_ place: Int, _ range: Range<Int>) {
    guard range.count > 1 else { return }
    let firstChild = nodes.count
    let parts = parts(of: range)
    for part in parts { append(part) }
    nodes.pointer[place].children = firstChild..<nodes.count
    var sum = Quadtree.Aggregate()
    for (number, part) in parts.enumerated() {
      let child = firstChild + number
      fill(child, part)
      nodes.pointer[place].box.formUnion(nodes.pointer[child].box)
      sum.add(aggregates.pointer[child])
      guard number > 0 else { continue }
      let (before, after) = (blocks[part.lowerBound - 1].last, blocks[part.lowerBound].first)
      if before.location == after.location { sum.locations -= 1 }
    }
    aggregates.pointer[place] = sum
  }

  /// Two to four parts of at least two blocks: by the quadrants that they begin in, or, where those
  /// are the same, of equal size.
  private func parts(of range: Range<Int>) -> [Range<Int>] {
    let (low, high) = (blocks[range.lowerBound].first, blocks[range.upperBound - 1].first)
    let difference = (low.x ^ high.x) | (low.y ^ high.y)
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    let shift = UInt32(31 - (difference | 1).leadingZeroBitCount)
    while start < range.upperBound {
      var stop = start + 1
      if difference == 0 {
        stop = min(start + (range.count + 3) / 4, range.upperBound)
      } else {
        let origin = blocks[start].first
        var end = range.upperBound
        while stop < end {
          let middle = (stop + end) / 2
          let position = blocks[middle].first
          let isSame =
            position.x &>> shift == origin.x &>> shift
            && position.y &>> shift == origin.y &>> shift
          if isSame { stop = middle + 1 } else { end = middle }
        }
      }
      parts.append(start..<stop)
      start = stop
    }
    return parts
  }
}
