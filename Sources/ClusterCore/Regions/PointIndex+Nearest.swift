extension PointIndex {
  /// The place of the feature of a region that is nearest to a map point, by the distance of map
  /// points, the first in index order of several; nil when the region is empty.
  ///
  /// Branch and bound over the tree, which starts from the features that come next on the Z-order
  /// curve: O(log n) for any but odd data.
  func nearest(
    to target: MapPoint, in region: some IndexRegion, excluding excluded: OrdinalSet
  ) -> Int? {
    withExtendedLifetime(self) {
      let pointers = self.pointers
      var best = (distance: Double.infinity, ordinal: Int.max)
      func consider(_ ordinal: Int) {
        let box = PositionBox(pointers.positions[ordinal])
        if box.squaredDistance(to: target) > best.distance { return }
        let point = WebMercator.project(pointers.coordinates[ordinal])
        let (dx, dy) = (point.x - target.x, point.y - target.y)
        let distance = dx * dx + dy * dy
        if distance < best.distance || (distance == best.distance && ordinal < best.ordinal) {
          guard !excluded.contains(ordinal), region.contains(ordinal, in: pointers) else { return }
          best = (distance, ordinal)
        }
      }
      forEachOrdinalNearby(target, consider)
      pointers.traverse { node in
        if pointers.nodes[node].box.squaredDistance(to: target) > best.distance
          || region.coverage(of: node, in: pointers) == .outside
        {
          return .skip
        }
        if pointers.nodes[node].isLeaf { pointers.points(of: node).forEach(consider) }
        return .open
      }
      return best.ordinal == .max ? nil : best.ordinal
    }
  }

  /// Calls `body` with a few places around where a map point would be in index order.
  private func forEachOrdinalNearby(_ target: MapPoint, _ body: (Int) -> Void) {
    let key = Position(target).zOrder
    guard count > 0 else { return }
    let pointers = self.pointers
    // The last block that begins before it.
    let next = (1..<pointers.blockCount).partitionPoint {
      pointers.positions[pointers.blocks[$0].firstOrdinal].zOrder < key
    }
    let ordinals = pointers.blocks[next - 1].ordinals
    let ordinal = ordinals.partitionPoint { pointers.positions[$0].zOrder < key }
    (ordinal - 4..<ordinal + 4).clamped(to: ordinals).forEach(body)
  }
}

extension PositionBox {
  /// A lower bound of the squared distance in map points of the box's points. Floating-point
  /// subtraction and multiplication are monotone, so it never exceeds the distance as computed for
  /// a point.
  func squaredDistance(to target: MapPoint) -> Double {
    let step = Position.stepsPerMapPoint
    let dx = max(
      0, Double(minX) / step - target.x, target.x - (Double(maxX) + 1) / step)
    let dy = max(
      0, Double(minY) / step - target.y, target.y - (Double(maxY) + 1) / step)
    return dx * dx + dy * dy
  }
}
