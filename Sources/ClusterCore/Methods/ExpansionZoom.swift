extension ExpansionZoom {
  /// That of a cluster of the collision method, for boxes of some points. Its features alone are one
  /// cluster as long as each overlaps the placed one, and boxes only shrink on the map.
  static func ofCluster(
    _ places: [Int], placed: Int, in points: PointIndex, markerWidth: Double,
    markerHeight: Double, above zoomLevel: Double
  ) -> Int? {
    withExtendedLifetime(points) {
      first(above: zoomLevel) { zoom in
        let scale = MapScale.mapPointsPerPoint(zoom: Double(zoom))
        let overlap = BoxOverlap(width: markerWidth * scale, height: markerHeight * scale)
        let view = points.pointers
        return places.contains { !overlap.overlaps($0, placed, in: view) }
      }
    }
  }
}

/// The zooms at which a cluster may come apart.
enum ExpansionZoom {
  static let last = 24

  /// The smallest integer zoom above another, from 0 up to ``last``, at which something no longer holds
  /// that, once it doesn't, doesn't at any later one either; nil if there is none.
  static func first<E: Error>(
    above zoomLevel: Double, where holdsNoMore: (Int) throws(E) -> Bool
  ) throws(E) -> Int? {
    let lowest = max(0, Int(zoomLevel.rounded(.down)) + 1)
    guard lowest <= last else { return nil }
    let zoom = try (lowest..<last + 1).partitionPoint { (zoom) throws(E) in
      try !holdsNoMore(zoom)
    }
    return zoom <= last ? zoom : nil
  }

  /// That of a component of the distance method, given the index of its features only.
  static func ofComponent(
    _ features: PointIndex, epsilon: Double, above zoomLevel: Double
  ) throws(MethodLimit) -> Int? {
    try first(above: zoomLevel) { (zoom) throws(MethodLimit) in
      let radius = epsilon * MapScale.mapPointsPerPoint(zoom: Double(zoom))
      return try !ComponentClusterer(points: features, radius: radius).isOneComponent()
    }
  }
}
