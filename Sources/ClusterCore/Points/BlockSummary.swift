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
