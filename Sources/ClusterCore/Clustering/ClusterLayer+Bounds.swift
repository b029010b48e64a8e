extension ClusterLayer {
  /// Returns the exact bounds of an annotation's features. Only the coordinates of features within a step
  /// of its rounded bounds are read. O(n) in the annotation's features.
  func exactBounds(of annotation: Annotation, in index: FeatureIndex) -> GeoBounds {
    // The bounds of a single feature are exact.
    guard annotation.count > 1 else { return annotation.bounds }
    let bounds = annotation.bounds
    let first = Position(Coordinate(latitude: bounds.north, longitude: bounds.west))
    let last = Position(Coordinate(latitude: bounds.south, longitude: bounds.east))
    func isNear(_ a: UInt32, _ b: UInt32) -> Bool { a &- b &+ 1 <= 2 }
    var exact = GeoBounds.empty
    runs(annotation, nil) { run in
      for ordinal in run {
        let position = index.position(at: ordinal)
        let (isWest, isEast) = (isNear(position.x, first.x), isNear(position.x, last.x))
        let (isNorth, isSouth) = (isNear(position.y, first.y), isNear(position.y, last.y))
        guard isWest || isEast || isNorth || isSouth else { continue }
        let own = GeoBounds(index.coordinate(at: ordinal))
        if isWest { exact.west = min(exact.west, own.west) }
        if isEast { exact.east = max(exact.east, own.east) }
        if isNorth { exact.north = max(exact.north, own.north) }
        if isSouth { exact.south = min(exact.south, own.south) }
      }
      return true
    }
    return exact
  }
}
