extension PointIndex {
  /// Returns the bounds of a region's features to 8.5e-8°, given the box of their positions.
  func bounds(of box: PositionBox, in region: AnyRegion) -> GeoBounds {
    GeoBounds(box) { latitude in
      forEachOrdinal(in: IntersectionRegion(a: PolarRegion(), b: region)) { ordinal in
        latitude(coordinate(at: ordinal).latitude)
        return true
      }
    }
  }

  /// The exact bounds of all features, or nil if there are none. O(log n + features on the edges).
  var exactBounds: GeoBounds? {
    guard count > 0 else { return nil }
    let box = withExtendedLifetime(self) { pointers.nodes[pointers.root].box }
    return exactBounds(of: box, in: EverywhereRegion())
  }

  /// Returns the exact bounds of a region's features, given the box of their positions. The region
  /// must not be empty. Returns nil if more than `limit` features are on the edges of the box.
  func exactBounds(
    of box: PositionBox, in region: some IndexRegion, atMost limit: Int = .max
  ) -> GeoBounds? {
    var bounds = GeoBounds.empty
    var room = limit
    forEachOrdinal(in: IntersectionRegion(a: EdgeRegion(box: box), b: region)) { ordinal in
      bounds.formUnion(GeoBounds(coordinate(at: ordinal)))
      room -= 1
      return room >= 0
    }
    return room < 0 ? nil : bounds
  }
}
