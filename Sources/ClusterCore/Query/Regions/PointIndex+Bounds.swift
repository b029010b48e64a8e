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

  /// Returns the exact bounds of a region's features, given the box of their positions, whose edges may be off by some
  /// steps. The region must not be empty. Returns nil if more than `limit` features are on the edges of the box.
  func exactBounds(
    of box: PositionBox, slack: Int = 0, in region: some IndexRegion, atMost limit: Int = .max
  ) -> GeoBounds? {
    var bounds = GeoBounds.empty
    var room = limit
    let edge = EdgeRegion(box: box, slack: slack)
    forEachOrdinal(in: IntersectionRegion(a: edge, b: region)) { ordinal in
      bounds.formUnion(GeoBounds(coordinate(at: ordinal)))
      room -= 1
      return room >= 0
    }
    return room < 0 ? nil : bounds
  }
}

extension PointIndex {
  /// Whether the features are on more than half of the longitudes without crossing 180°.
  var isWide: Bool {
    guard count > 0 else { return false }
    let box = withExtendedLifetime(self) { pointers.nodes[pointers.root].box }
    return box.maxX - box.minX > 1 << 31
  }

  /// The exact bounds of all features on the shortest span of longitudes, to a step: west is above east where it crosses
  /// 180°. Nil if there are no features. See ``PositionGap``.
  ///
  /// - Parameter bounds: the exact bounds that don't cross it.
  func extent(from bounds: GeoBounds) -> GeoBounds {
    let gap = withExtendedLifetime(self) {
      PositionGap(of: pointers, in: pointers.nodes[pointers.root].box)
    }
    guard let gap else { return bounds }
    var extent = bounds
    extent.west = .infinity
    extent.east = -.infinity
    forEachOrdinal(in: ColumnRegion(x: gap.east)) { ordinal in
      extent.west = min(extent.west, coordinate(at: ordinal).longitude)
      return true
    }
    // An extent that ends at 180° doesn't cross it, unless a longitude there is −180.
    var endsAtAntimeridian = true
    forEachOrdinal(in: ColumnRegion(x: gap.west)) { ordinal in
      let coordinate = coordinate(at: ordinal)
      extent.east = max(extent.east, coordinate.foldedLongitude)
      if coordinate.longitude != 180 { endsAtAntimeridian = false }
      return true
    }
    if endsAtAntimeridian { extent.east = 180 }
    return extent
  }
}
