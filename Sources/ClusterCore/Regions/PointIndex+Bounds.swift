extension PointIndex {
  /// The bounds of a region's features, given the box of their positions.
  func bounds(
    of box: PositionBox, in region: some IndexRegion,
    excluding excluded: OrdinalSet = OrdinalSet([])
  ) -> GeoBounds {
    GeoBounds(box) { latitude in
      forEachOrdinal(in: IntersectionRegion(a: PolarRegion(), b: region)) { ordinal in
        if !excluded.contains(ordinal) { latitude(coordinate(at: ordinal).latitude) }
        return true
      }
    }
  }
}

extension PointIndex {
  /// The bounds of all features, bit for bit; nil when there are none. O(log n), and the features on
  /// the edges.
  var exactBounds: GeoBounds? {
    guard count > 0 else { return nil }
    let box = withExtendedLifetime(self) { pointers.nodes[pointers.root].box }
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
    forEachOrdinal(in: IntersectionRegion(a: EdgeRegion(box: box), b: region)) { ordinal in
      if excluded.contains(ordinal) { return true }
      bounds.formUnion(GeoBounds(coordinate(at: ordinal)))
      room -= 1
      return room >= 0
    }
    return room < 0 ? nil : bounds
  }
}
