/// The features whose positions are on the edges of a box: those that its bounds come from.
struct EdgeRegion: IndexRegion {
  let box: PositionBox

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let other = view.nodes[node].box
    let columns = other.minX...other.maxX
    let rows = other.minY...other.maxY
    let isNear =
      columns.contains(box.minX) || columns.contains(box.maxX) || rows.contains(box.minY)
      || rows.contains(box.maxY)
    return isNear ? .partial : .outside
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    touches(PositionBox(view.positions[place]))
  }

  /// Whether an edge of another box is on the same edge of this one.
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
    let box = withExtendedLifetime(self) { view.nodes[view.root].box }
    return exactBounds(of: box, in: EverywhereRegion(), excluding: OrdinalSet([]))
  }

  /// The bounds of a region's features, of at least one, bit for bit, given the box of their positions.
  /// Nil where more than some features are on its edges.
  func exactBounds(
    of box: PositionBox, in region: some IndexRegion, excluding excluded: OrdinalSet,
    atMost limit: Int = .max
  ) -> GeoBounds? {
    var bounds = GeoBounds.empty
    var room = limit
    forEachOrdinal(in: IntersectionRegion(a: EdgeRegion(box: box), b: region)) { place in
      if excluded.contains(place) { return true }
      bounds.formUnion(GeoBounds(coordinate(at: place)))
      room -= 1
      return room >= 0
    }
    return room < 0 ? nil : bounds
  }
}
