/// Builds the tree on top of blocks: its leaves stand for blocks and lead into their own trees.
struct TopTreeBuilder {
  private let blocks: UnsafePointer<BlockView>
  private var nodes: GrowingArray<Quadtree.Node>
  private var aggregates: GrowingArray<Quadtree.Aggregate>

  /// The tree over blocks in index order. O(blocks).
  static func build(over blocks: UnsafePointer<BlockView>, count: Int) -> Quadtree {
    var builder = TopTreeBuilder(blocks, expecting: count * 3 / 2)
    if count > 0 {
      builder.append(0..<count)
      builder.fill(0, 0..<count)
    }
    return Quadtree(nodes: builder.nodes.fixed, aggregates: builder.aggregates.fixed)
  }

  private init(_ blocks: UnsafePointer<BlockView>, expecting count: Int) {
    self.blocks = blocks
    nodes = GrowingArray(capacity: count)
    aggregates = GrowingArray(capacity: count)
  }

  private func first(of block: Int) -> Position {
    blocks[block].positions[blocks[block].firstPlace]
  }

  private func last(of block: Int) -> Position {
    blocks[block].positions[blocks[block].places.upperBound - 1]
  }

  /// Appends a node for some blocks: finished if it is one, unfinished otherwise.
  private mutating func append(_ range: Range<Int>) {
    let (block, last) = (blocks[range.lowerBound], blocks[range.upperBound - 1])
    var node = Quadtree.Node(
      begin: block.places.lowerBound, end: last.places.upperBound, box: block.nodes[0].box)
    if range.count == 1 {
      node.children = block.nodes[0].children
      node.table = UInt32(range.lowerBound)
    }
    nodes.append(node)
    aggregates.append(range.count == 1 ? block.aggregates[0] : Quadtree.Aggregate())
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
      if number > 0, first(of: part.lowerBound).location == last(of: part.lowerBound - 1).location {
        sum.locations -= 1
      }
    }
    aggregates.pointer[place] = sum
  }

  /// Two to four parts of at least two blocks: by the quadrants that they begin in, or, where those
  /// are the same, of equal size.
  private func parts(of range: Range<Int>) -> [Range<Int>] {
    let (low, high) = (first(of: range.lowerBound), first(of: range.upperBound - 1))
    let difference = (low.x ^ high.x) | (low.y ^ high.y)
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    let shift = UInt32(31 - (difference | 1).leadingZeroBitCount)
    while start < range.upperBound {
      var stop = start + 1
      if difference == 0 {
        stop = min(start + (range.count + 3) / 4, range.upperBound)
      } else {
        let origin = first(of: start)
        var end = range.upperBound
        while stop < end {
          let middle = (stop + end) / 2
          let position = first(of: middle)
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
