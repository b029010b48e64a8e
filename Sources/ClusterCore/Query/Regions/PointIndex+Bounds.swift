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
    let box = withExtendedLifetime(self) { pointers.node(pointers.root).box }
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
  /// The steps of the gap between the features that is across 180°; those of the world if there are no features.
  private var outerGap: Int {
    guard count > 0 else { return 1 << 32 }
    let box = withExtendedLifetime(self) { pointers.node(pointers.root).box }
    return 1 << 32 - Int(box.maxX - box.minX)
  }

  /// Whether the features are on more than half of the longitudes without crossing 180°.
  var isWide: Bool { outerGap < 1 << 31 }

  /// The exact bounds of all features on the shortest span of longitudes, to a step: west is above east where it crosses
  /// 180°.
  ///
  /// A gap counts only if it is wider than that across 180°, and wide enough to hold a whole column: one of equal parts
  /// of the world, of which two fit into the gap across 180°, but no more than 4,096. So all gaps of more than 0.18° count,
  /// and the result depends on the features alone, not on how the index has grown.
  ///
  /// - Parameter bounds: the exact bounds that don't cross it.
  func extent(from bounds: GeoBounds) -> GeoBounds {
    guard isWide else { return bounds }
    // The greatest power of two up to a half, of no less than a 4096th of the world.
    let shift = UInt32(max(20, Int.bitWidth - 1 - (outerGap / 2).leadingZeroBitCount))
    // A step at each edge of a gap is not seen.
    guard let gap = widestGap(in: EverywhereRegion(), columns: shift, slack: 2) else {
      return bounds
    }
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
