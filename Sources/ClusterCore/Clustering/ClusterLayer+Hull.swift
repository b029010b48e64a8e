import Threading

extension ClusterLayer {
  /// Returns the convex hull of an annotation's features.
  ///
  /// - Complexity: for clusters of a grid, proportional to the nodes of the tree at its edge; without a grid,
  ///   O(n log h) in the annotation's features and the hull's corners.
  func hull(of annotation: Annotation, in index: FeatureIndex) -> Hull {
    guard annotation.isCluster else { return Hull(only: index.coordinate(at: annotation.first)) }
    if let places {
      return places.hull(of: annotation) ?? Hull(only: index.coordinate(at: annotation.first))
    }
    let bounds = annotation.bounds
    // A gap of which the middle is certainly without features.
    let isTurned = bounds.west > bounds.east
    let middle = Coordinate(latitude: 0, longitude: (bounds.west + bounds.east) / 2)
    let cut = isTurned ? Position(middle).x : 0
    var builder = HullBuilder()
    forEachPosition(of: annotation, in: index) { builder.add(HullPoint($0.position, cut: cut)) }
    builder.settle()
    let corners = builder.corners
    let wanted = Set(corners.map(\.position))
    var first: [Position: Int] = [:]
    forEachPosition(of: annotation, in: index) { position, ordinal in
      if wanted.contains(position), first[position] == nil { first[position] = ordinal }
    }
    return Hull(corners) { index.coordinate(at: first[$0] ?? annotation.first) }
  }

  private func forEachPosition(
    of annotation: Annotation, in index: FeatureIndex,
    _ body: ((position: Position, ordinal: Int)) -> Void
  ) {
    runs(annotation, nil) { run in
      for ordinal in run { body((index.position(at: ordinal), ordinal)) }
      return !Interruption.poll(run.count &* 10)
    }
  }
}
