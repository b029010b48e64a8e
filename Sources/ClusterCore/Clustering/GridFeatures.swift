/// The features of the annotations of one grid.
struct GridFeatures<Region: IndexRegion>: Sendable {
  let scope: FeatureScope
  /// What was clustered of the scope.
  let region: Region
  let grid: CellGrid
  /// Places in the scope that are annotations of their own.
  let keptApart: OrdinalSet

  /// Calls `body` with runs of places in the collection that are an annotation's features, in index
  /// order, as far as they are held by another one; until it returns false.
  func forEachRun(
    of annotation: Annotation, in held: HeldOrdinals?, _ body: (Range<Int>) -> Bool
  ) {
    switch held {
    case nil: forEachRun(of: annotation, within: EverywhereRegion(), body)
    case .cell(let cell): forEachRun(of: annotation, within: cell, body)
    case .location(let location): forEachRun(of: annotation, within: location, body)
    case .feature(let place):
      guard let own = scope.scopeOrdinal(place) else { return }
      let only = OrdinalRegion(excluded: OrdinalSet([]), only: own)
      forEachRun(of: annotation, within: only, body)
    }
  }

  private func forEachRun(
    of annotation: Annotation, within held: some IndexRegion, _ body: (Range<Int>) -> Bool
  ) {
    switch annotation.place {
    case .feature:
      guard let place = scope.scopeOrdinal(annotation.first) else { return }
      let isHeld = withExtendedLifetime(scope) { held.contains(place, in: scope.points.pointers) }
      if isHeld { _ = body(annotation.first..<annotation.first + 1) }
    case .cell(let cell):
      forEachRun(CellRegion(grid: grid, cell: cell), held, body)
    case .location(let cell, let location):
      let own = LocationRegion(cell: CellRegion(grid: grid, cell: cell), location: location)
      forEachRun(own, held, body)
    }
  }

  private func forEachRun(
    _ own: some IndexRegion, _ held: some IndexRegion, _ body: (Range<Int>) -> Bool
  ) {
    let part = IntersectionRegion(a: IntersectionRegion(a: own, b: held), b: region)
    scope.points.forEachRun(in: part) { run in
      keptApart.forEachRest(of: run) { scope.forEachCollectionRun($0, body) }
    }
  }
}

extension ClusterLayer {
  /// The layer of the annotations of a grid.
  init(_ features: GridFeatures<some IndexRegion>, cellSize: Double, group: ClusterGroup?) {
    self.init(group: group, grid: features.grid, cellSize: cellSize) {
      features.forEachRun(of: $0, in: $1, $2)
    }
  }
}
