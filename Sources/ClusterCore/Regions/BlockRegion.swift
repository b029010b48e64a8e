/// A region that tells how much of a block is in it.
protocol BlockRegion: IndexRegion {
  /// Returns how much of a block is in the region. `.partial` is always a correct answer.
  func coverage(of block: PointBlock) -> Coverage
}

extension EverywhereRegion: BlockRegion {
  func coverage(of block: PointBlock) -> Coverage { .inside }
}

extension ShapesRegion: BlockRegion {
  func coverage(of block: PointBlock) -> Coverage {
    block.tree.count > 0 ? coverage(of: block.tree.nodes.pointer[0].box) : .partial
  }
}
