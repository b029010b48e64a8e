/// The features of the annotations of one grid.
final class GridFeatures: Sendable {
  private let scope: FeatureScope
  /// The part of the scope that was clustered.
  private let region: AnyRegion
  private let grid: CellGrid
  /// The ordinals in the scope of the features that are kept apart.
  private let keptApart: OrdinalSet

  init(_ scope: FeatureScope, in region: AnyRegion, _ grid: CellGrid, keptApart: OrdinalSet) {
    (self.scope, self.region, self.grid, self.keptApart) = (scope, region, grid, keptApart)
  }

  /// Calls `body` with the runs of an annotation's ordinals in the collection, in index order, until it
  /// returns false. If `held` is given, features outside it are left out.
  func forEachRun(
    of annotation: Annotation, in held: HeldFeatures?, _ body: (Range<Int>) -> Bool
  ) {
    let place: AnyRegion
    switch held {
    case nil: place = AnyRegion(EverywhereRegion())
    case .cell(let cell): place = AnyRegion(cell)
    case .feature(let ordinal):
      guard let own = scope.scopeOrdinal(ordinal) else { return }
      place = AnyRegion(OrdinalRegion(excluded: OrdinalSet([]), only: own))
    }
    guard let own = annotation.region(on: grid) else {
      guard let ordinal = scope.scopeOrdinal(annotation.first) else { return }
      let isHeld = withExtendedLifetime(scope) {
        place.contains(ordinal, in: scope.points.pointers)
      }
      if isHeld { _ = body(annotation.first..<annotation.first + 1) }
      return
    }
    let part = IntersectionRegion(a: IntersectionRegion(a: own, b: place), b: region)
    scope.points.forEachRun(in: part) { run in
      keptApart.forEachRest(of: run) { scope.forEachCollectionRun($0, body) }
    }
  }

  /// The part of the scope that an annotation stands for, with features that are kept apart; nil if it is a feature's.
  private func part(of annotation: Annotation) -> IntersectionRegion<CellRegion, AnyRegion>? {
    annotation.region(on: grid).map { IntersectionRegion(a: $0, b: region) }
  }

  /// Returns the exact bounds of a cluster's features, or nil if more than `limit` are on their edges.
  func exactBounds(of cluster: Annotation, atMost limit: Int) -> GeoBounds? {
    guard let part = part(of: cluster) else { return cluster.bounds }
    // The bounds of several features are those of their positions, to a step.
    let box = PositionBox(around: cluster.bounds)
    return keptApart.isEmpty
      ? scope.points.exactBounds(of: box, slack: 1, in: part, atMost: limit)
      : scope.points.exactBounds(of: box, slack: 1, in: part.without(keptApart), atMost: limit)
  }

  /// Returns the convex hull of a cluster's features; nil if it has none.
  func hull(of cluster: Annotation) -> Hull? {
    guard let part = part(of: cluster) else { return nil }
    let isWide = cluster.bounds.east - cluster.bounds.west > 180
    return keptApart.isEmpty
      ? scope.points.hull(of: part, of: cluster.count, isWide: isWide)
      : scope.points.hull(of: part.without(keptApart), of: cluster.count, isWide: isWide)
  }
}

extension ClusterLayer {
  /// Creates the layer of the annotations of a grid; without a grid, they are all pins.
  ///
  /// - Parameter region: the part of the scope that is clustered.
  init(
    _ scope: FeatureScope, in region: AnyRegion = AnyRegion(EverywhereRegion()), grid: CellGrid?,
    cellSize: Double, _ settings: ClusterSettings, group: ClusterGroup?, keptApart: OrdinalSet
  ) {
    let features = GridFeatures(
      scope, in: region, grid ?? CellGrid(cellsPerWorld: 1), keptApart: keptApart)
    self.init(group: group, grid: grid, cellSize: cellSize, settings: settings, places: features) {
      features.forEachRun(of: $0, in: $1, $2)
    }
  }
}
