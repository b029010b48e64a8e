/// The features whose positions are on the edges of a box: those that its bounds come from.
struct EdgeRegion: IndexRegion {
  let box: PositionBox

  func coverage(of node: Int, in view: IndexView) -> Coverage {
    touches(view.nodes[node].box) ? .partial : .outside
  }

  func contains(_ place: Int, in view: IndexView) -> Bool {
    touches(PositionBox(view.positions[place]))
  }

  /// Whether any edge of another box, which lies in this one, is on an edge of this one.
  func touches(_ other: PositionBox) -> Bool {
    other.minX == box.minX || other.maxX == box.maxX || other.minY == box.minY
      || other.maxY == box.maxY
  }
}

extension PointIndex {
  /// The bounds of all features, bit for bit; nil when there are none. O(log n), and the features on
  /// the edges.
  var exactBounds: GeoBounds? {
    guard count > 0 else { return nil }
    var bounds = GeoBounds.empty
    let box = withExtendedLifetime(self) { view.nodes[view.root].box }
    forEachPlace(in: EdgeRegion(box: box)) { place in
      bounds.formUnion(GeoBounds(coordinate(at: place)))
      return true
    }
    return bounds
  }
}
