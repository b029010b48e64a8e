import Threading

extension PointIndex {
  /// Returns the ordinals of those features of a region that are nearest on the globe, the nearest first, and of several
  /// at one distance the first in index order.
  ///
  /// The search is best-first over the tree: the node that may hold the nearest is opened next, and the search ends as
  /// soon as no node may hold a nearer feature than those found. Takes O(limit · log n) unless many features are as far
  /// away.
  ///
  /// - Parameters:
  ///   - origin: where distances are measured from.
  ///   - limit: the most features.
  func nearest(to origin: GlobeDistance, in region: some IndexRegion, limit: Int) -> [Int] {
    guard count > 0, limit > 0 else { return [] }
    return withExtendedLifetime(self) {
      let pointers = self.pointers
      // Nodes by how near their features may be, and features that were found, the farthest first.
      var (nodes, found) = (BinaryHeap<Reached>(), BinaryHeap<Reached>())
      func mayHold(_ metres: Double) -> Bool {
        guard found.count == limit, let last = found.first else { return true }
        return metres <= -last.metres
      }
      func add(_ node: Int) {
        guard region.coverage(of: node, in: pointers) != .outside else { return }
        let rectangle = ShapesRegion.rectangle(of: pointers.node(node).box)
        let metres = origin.least(to: rectangle)
        if mayHold(metres) { nodes.insert(Reached(metres: metres, number: node)) }
      }
      add(pointers.root)
      while let next = nodes.popFirst(), mayHold(next.metres) {
        guard pointers.node(next.number).isLeaf else {
          Cancellation.poll(800)
          for child in pointers.children(of: next.number) { add(child) }
          continue
        }
        let points = pointers.points(of: next.number)
        for ordinal in points { pointers.prefetchReference(ordinal) }
        for ordinal in points {
          if Cancellation.poll(150) { return [] }
          let metres = origin.metres(to: pointers.coordinate(ordinal))
          let one = Reached(metres: -metres, number: -ordinal)
          if found.count == limit, let last = found.first, one < last { continue }
          guard region.contains(ordinal, in: pointers) else { continue }
          if found.count == limit { found.replaceFirst(by: one) } else { found.insert(one) }
        }
      }
      return found.sorted.reversed().map { -$0.number }
    }
  }

  /// A node or a feature, and its distance.
  private struct Reached: Comparable {
    let metres: Double
    let number: Int

    static func < (a: Reached, b: Reached) -> Bool {
      a.metres != b.metres ? a.metres < b.metres : a.number < b.number
    }
  }
}
