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
