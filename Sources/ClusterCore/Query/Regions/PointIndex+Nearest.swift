extension PointIndex {
  /// Returns the ordinal of a region's feature that is nearest to a map point in map points, the first
  /// of several in index order; nil if the region is empty.
  ///
  /// The search is branch and bound over the tree, starting with the neighbours along the Z-order
  /// curve. It takes O(log n) unless the data is degenerate.
  func nearest(
    to target: MapPoint, in region: some IndexRegion, excluding excluded: OrdinalSet
  ) -> Int? {
    withExtendedLifetime(self) {
      let pointers = self.pointers
      var best = (distance: Double.infinity, ordinal: Int.max)
      func consider(_ ordinal: Int) {
        let box = PositionBox(pointers.position(ordinal))
        if box.squaredDistance(to: target) > best.distance { return }
        let point = WebMercator.project(pointers.coordinate(ordinal))
        let (dx, dy) = (point.x - target.x, point.y - target.y)
        let distance = dx * dx + dy * dy
        if distance < best.distance || (distance == best.distance && ordinal < best.ordinal) {
          guard !excluded.contains(ordinal), region.contains(ordinal, in: pointers) else { return }
          best = (distance, ordinal)
        }
      }
      forEachOrdinalNearby(target, consider)
      pointers.traverse { node in
        if pointers.node(node).box.squaredDistance(to: target) > best.distance
          || region.coverage(of: node, in: pointers) == .outside
        {
          return .skip
        }
        if pointers.node(node).isLeaf { pointers.points(of: node).forEach(consider) }
        return .open
      }
      return best.ordinal == .max ? nil : best.ordinal
    }
  }

  /// Calls `body` with a few ordinals around the one that a map point would have.
  private func forEachOrdinalNearby(_ target: MapPoint, _ body: (Int) -> Void) {
    let key = Position(target).zOrder
    guard count > 0 else { return }
    let pointers = self.pointers
    // The block after the last one that begins before it.
    let next = (1..<pointers.blockCount).partitionPoint {
      pointers.position(pointers.blocks[$0].firstOrdinal).zOrder < key
    }
    let ordinals = pointers.blocks[next - 1].ordinals
    let ordinal = ordinals.partitionPoint { pointers.position($0).zOrder < key }
    (ordinal - 4..<ordinal + 4).clamped(to: ordinals).forEach(body)
  }
}
