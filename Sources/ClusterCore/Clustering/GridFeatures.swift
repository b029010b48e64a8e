/// The features of the annotations of one grid.
struct GridFeatures: Sendable {
  let scope: FeatureScope
  /// The part of the scope that was clustered.
  let region: AnyRegion
  let grid: CellGrid
  /// The ordinals in the scope of the features that are kept apart.
  let keptApart: OrdinalSet

  /// Calls `body` with the runs of an annotation's ordinals in the collection, in index order, until it
  /// returns false. If `held` is given, features outside it are left out.
  func forEachRun(
    of annotation: Annotation, in held: HeldFeatures?, _ body: (Range<Int>) -> Bool
  ) {
    switch held {
    case nil: forEachRun(of: annotation, within: AnyRegion(EverywhereRegion()), body)
    case .cell(let cell): forEachRun(of: annotation, within: AnyRegion(cell), body)
    case .location(let location): forEachRun(of: annotation, within: AnyRegion(location), body)
    case .feature(let ordinal):
      guard let own = scope.scopeOrdinal(ordinal) else { return }
      let only = OrdinalRegion(excluded: OrdinalSet([]), only: own)
      forEachRun(of: annotation, within: AnyRegion(only), body)
    }
  }

  private func forEachRun(
    of annotation: Annotation, within held: AnyRegion, _ body: (Range<Int>) -> Bool
  ) {
    switch annotation.key {
    case .feature:
      guard let ordinal = scope.scopeOrdinal(annotation.first) else { return }
      let isHeld = withExtendedLifetime(scope) { held.contains(ordinal, in: scope.points.pointers) }
      if isHeld { _ = body(annotation.first..<annotation.first + 1) }
    case .cell(let cell):
      forEachRun(CellRegion(grid: grid, cell: cell), held, body)
    case .location(let cell, let location):
      let own = LocationRegion(cell: CellRegion(grid: grid, cell: cell), location: location)
      forEachRun(own, held, body)
    }
  }

  private func forEachRun(
    _ own: some IndexRegion, _ held: AnyRegion, _ body: (Range<Int>) -> Bool
  ) {
    let part = IntersectionRegion(a: IntersectionRegion(a: own, b: held), b: region)
    scope.points.forEachRun(in: part) { run in
      keptApart.forEachRest(of: run) { scope.forEachCollectionRun($0, body) }
    }
  }
}

extension ClusterLayer {
  /// Creates the layer of the annotations of a grid; without a grid, they are all pins.
  init(
    _ features: GridFeatures, grid: CellGrid?, cellSize: Double, _ settings: ClusterSettings,
    group: ClusterGroup?
  ) {
    self.init(
      group: group, grid: grid, cellSize: cellSize, settings: settings, places: features
    ) {
      features.forEachRun(of: $0, in: $1, $2)
    }
  }

  /// Creates the layer of a scope; without a grid, its only annotations are pins.
  init(
    _ scope: FeatureScope, grid: CellGrid?, cellSize: Double, _ settings: ClusterSettings,
    group: ClusterGroup?, keptApart: OrdinalSet
  ) {
    self.init(
      GridFeatures(
        scope: scope, region: AnyRegion(EverywhereRegion()),
        grid: grid ?? CellGrid(cellsPerWorld: 1), keptApart: keptApart), grid: grid,
      cellSize: cellSize, settings, group: group)
  }
}
