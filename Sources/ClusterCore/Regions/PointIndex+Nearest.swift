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
      let view = self.view
      var best = (distance: Double.infinity, place: Int.max)
      func consider(_ place: Int) {
        let box = PositionBox(view.positions[place])
        if box.squaredDistance(to: target) > best.distance { return }
        let point = WebMercator.project(view.coordinates[place])
        let (dx, dy) = (point.x - target.x, point.y - target.y)
        let distance = dx * dx + dy * dy
        if distance < best.distance || (distance == best.distance && place < best.place) {
          guard !excluded.contains(place), region.contains(place, in: view) else { return }
          best = (distance, place)
        }
      }
      forEachOrdinalNearby(target, consider)
      view.traverse { node in
        if view.nodes[node].box.squaredDistance(to: target) > best.distance
          || region.coverage(of: node, in: view) == .outside
        {
          return .skip
        }
        if view.nodes[node].isLeaf { view.points(of: node).forEach(consider) }
        return .open
      }
      return best.place == .max ? nil : best.place
    }
  }

  /// Calls `body` with a few places around where a map point would be in index order.
  private func forEachOrdinalNearby(_ target: MapPoint, _ body: (Int) -> Void) {
    let key = Position(target).zOrder
    guard count > 0 else { return }
    let view = self.view
    // The last block that begins before it.
    var (block, end) = (0, view.blockCount - 1)
    while block < end {
      let middle = (block + end + 1) / 2
      if view.positions[view.blocks[middle].firstOrdinal].zOrder < key {
        block = middle
      } else {
        end = middle - 1
      }
    }
    let places = view.blocks[block].places
    var (low, high) = (places.lowerBound, places.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if view.positions[middle].zOrder < key { low = middle + 1 } else { high = middle }
    }
    (low - 4..<low + 4).clamped(to: places).forEach(body)
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
