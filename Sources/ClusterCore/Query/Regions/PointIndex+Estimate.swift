extension PointIndex {
  /// The most nodes and points that an estimate looks at.
  private static let (estimatedNodes, estimatedPoints) = (400, 1000)

  /// Estimates how many features are in a region from the nodes at the top of the tree, in a few microseconds. Nearly exact if
  /// they or few points tell.
  func estimatedCount(in region: some IndexRegion) -> Double {
    guard count > 0 else { return 0 }
    return withExtendedLifetime(self) {
      let pointers = self.pointers
      var queue = [pointers.root]
      queue.reserveCapacity(PointIndex.estimatedNodes + 4)
      var (found, next, points) = (0.0, 0, PointIndex.estimatedPoints)
      while next < queue.count {
        let node = queue[next]
        next += 1
        let own = pointers.node(node)
        switch region.coverage(of: node, in: pointers) {
        case .outside: break
        case .inside: found += Double(pointers.count(of: node))
        case .partial where own.isLeaf && own.range.count <= points:
          points -= own.range.count
          found += Double(pointers.points(of: node).count { region.contains($0, in: pointers) })
        case .partial where !own.isLeaf && queue.count < PointIndex.estimatedNodes:
          queue += pointers.children(of: node)
        case .partial:
          // A third of what lies across the region's edge is taken to be inside.
          found += 0.33 * Double(pointers.count(of: node))
        }
      }
      return found
    }
  }
}
