/// The search for the zoom at which the features of a cluster are no longer together.
enum ExpansionZoom {
  /// The smallest integer zoom above another, within ``ClusterLayer/zooms``, at which a condition no longer holds;
  /// nil if there is none. Once the condition doesn't hold, it must not hold at any larger zoom.
  static func first<E: Error>(
    above zoomLevel: Double, where holdsNoMore: (Int) throws(E) -> Bool
  ) throws(E) -> Int? {
    let last = ClusterLayer.zooms.upperBound
    let lowest = max(0, Int(zoomLevel.rounded(.down)) + 1)
    guard lowest <= last else { return nil }
    let zoom = try (lowest..<last + 1).partitionPoint { (zoom) throws(E) in
      try !holdsNoMore(zoom)
    }
    return zoom <= last ? zoom : nil
  }

  /// The zoom for a component of the distance method, given an index of only its features.
  static func ofComponent(
    _ features: PointIndex, epsilon: Double, above zoomLevel: Double
  ) throws(MethodLimit) -> Int? {
    try first(above: zoomLevel) { (zoom) throws(MethodLimit) in
      let radius = epsilon * WebMercator.mapPointsPerPoint(zoom: Double(zoom))
      return try !ComponentClusterer(points: features, radius: radius).isOneComponent()
    }
  }

  /// The zoom for a cluster of the collision method with markers of a size in points. Its features alone
  /// are one cluster as long as each overlaps the placed one, and boxes only shrink as the zoom grows.
  static func ofCluster(
    _ ordinals: [Int], placed: Int, in points: PointIndex, markerWidth: Double,
    markerHeight: Double, above zoomLevel: Double
  ) -> Int? {
    withExtendedLifetime(points) {
      first(above: zoomLevel) { zoom in
        let scale = WebMercator.mapPointsPerPoint(zoom: Double(zoom))
        let overlap = BoxOverlap(width: markerWidth * scale, height: markerHeight * scale)
        let pointers = points.pointers
        return ordinals.contains { !overlap.overlaps($0, placed, in: pointers) }
      }
    }
  }
}
