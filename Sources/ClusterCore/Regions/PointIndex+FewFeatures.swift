extension PointIndex {
  /// The most nodes that are looked at to tell whether a region holds few features.
  private static let fewNodes = 128

  /// Whether a region certainly holds at most so many features, as the nodes at the top of the tree tell in a
  /// microsecond or two; false if they don't tell.
  func holds(atMost limit: Int, in region: some IndexRegion) -> Bool {
    guard count > limit else { return true }
    return withExtendedLifetime(self) {
      let pointers = self.pointers
      var queue = [pointers.root]
      queue.reserveCapacity(PointIndex.fewNodes + 4)
      var (next, most) = (0, count)
      while most > limit, next < queue.count {
        let node = queue[next]
        next += 1
        switch region.coverage(of: node, in: pointers) {
        case .outside: most -= pointers.count(of: node)
        case .partial where !pointers.nodes[node].isLeaf && queue.count < PointIndex.fewNodes:
          queue += pointers.children(of: node)
        case .partial, .inside: break
        }
      }
      return most <= limit
    }
  }
}
