/// Where the features of annotations are, found in the tree.
protocol FeaturePlaces: Sendable {
  /// Returns the exact bounds of a cluster's features, or nil if more than `limit` are on their edges.
  func exactBounds(of cluster: Annotation, atMost limit: Int) -> GeoBounds?

  /// Returns the convex hull of a cluster's features; nil if it has none.
  func hull(of cluster: Annotation) -> Hull?
}

extension GridFeatures: FeaturePlaces {
  func exactBounds(of cluster: Annotation, atMost limit: Int) -> GeoBounds? {
    switch cluster.key {
    case .feature: cluster.bounds
    case .cell(let cell): exactBounds(cluster, in: region(cell), atMost: limit)
    case .location(let cell, let location):
      exactBounds(cluster, in: region(cell, location), atMost: limit)
    }
  }

  func hull(of cluster: Annotation) -> Hull? {
    switch cluster.key {
    case .feature: nil
    case .cell(let cell): hull(cluster, in: region(cell))
    case .location(let cell, let location): hull(cluster, in: region(cell, location))
    }
  }

  private func region(_ cell: CellPosition) -> IntersectionRegion<CellRegion, AnyRegion> {
    IntersectionRegion(a: CellRegion(grid: grid, cell: cell), b: region)
  }

  private func region(
    _ cell: CellPosition, _ location: Location
  ) -> IntersectionRegion<LocationRegion, AnyRegion> {
    IntersectionRegion(
      a: LocationRegion(cell: CellRegion(grid: grid, cell: cell), location: location), b: region)
  }

  private func exactBounds(
    _ cluster: Annotation, in region: some IndexRegion, atMost limit: Int
  ) -> GeoBounds? {
    // The bounds of several features are those of their positions, to a step.
    let edge = EdgeRegion(box: PositionBox(around: cluster.bounds), slack: 1)
    let part = IntersectionRegion(a: edge, b: region)
    return keptApart.isEmpty
      ? exactBounds(in: part, atMost: limit)
      : exactBounds(in: part.without(keptApart), atMost: limit)
  }

  private func exactBounds(in edge: some IndexRegion, atMost limit: Int) -> GeoBounds? {
    var bounds = GeoBounds.empty
    var room = limit
    scope.points.forEachOrdinal(in: edge) { ordinal in
      bounds.formUnion(GeoBounds(scope.points.coordinate(at: ordinal)))
      room -= 1
      return room >= 0
    }
    return room < 0 ? nil : bounds
  }

  private func hull(_ cluster: Annotation, in region: some IndexRegion) -> Hull? {
    let isWide = cluster.bounds.east - cluster.bounds.west > 180
    return keptApart.isEmpty
      ? scope.points.hull(of: region, of: cluster.count, isWide: isWide)
      : scope.points.hull(
        of: region.without(keptApart), of: cluster.count, isWide: isWide)
  }
}
