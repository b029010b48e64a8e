/// The cell of a feature, and what there is in it of its group.
struct LocatedCell {
  let layer: ClusterLayer
  private let place: Int
  private let all: FeatureScope
  private let scope: FeatureScope
  private let request: ClusterRequest
  private let cell: CellPosition
  private let keptApart: OrdinalSet

  init(
    _ place: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: ClusterRequest,
    of group: ClusterGroup?, where isInGroup: (Int) -> Bool
  ) {
    self.place = place
    var request = request
    let grid = request.cells.grid
    let index = collection.index
    cell = withExtendedLifetime(index) { grid.cell(of: place, in: index.points.pointers) }
    let region = CellRegion(grid: grid, cell: cell)
    all = FeatureScope(collection, passing: filter, nearAny: region)
    scope =
      group == nil
      ? all
      : all.selecting(in: region) { run, pass in
        for place in run where isInGroup(place) { pass(place) }
      }
    request.cells = GridRange(grid: grid, only: cell)
    self.request = request
    keptApart = scope.ordinals(of: request.settings.keepApart)
    let features = GridFeatures(
      scope: scope, region: EverywhereRegion(), grid: grid, keptApart: keptApart)
    layer = ClusterLayer(features, cellSize: request.cellSize, group: group)
  }

  /// What the features of the cell that aren't kept apart add up to.
  private var sum: CellSum? {
    GridAggregation.sums(
      of: scope.points, in: EverywhereRegion(), by: request.cells, excluding: keptApart,
      countingLocations: request.settings.minUniqueLocationsForClustering > 1
    ).first
  }

  private var ownOrdinal: Int { scope.scopeOrdinal(place) ?? 0 }
  private var isKeptApart: Bool { keptApart.contains(ownOrdinal) }

  /// The features at its location, in its cell.
  private var location: LocationRegion {
    LocationRegion(
      cell: CellRegion(grid: request.cells.grid, cell: cell),
      location: scope.points.position(at: ownOrdinal).location)
  }

  /// Whether its annotation has no other features.
  var isAlone: Bool {
    if isKeptApart { return true }
    guard let sum else { return false }
    if request.isClustered(sum) { return sum.count == 1 }
    return request.settings.decluster
      || scope.points.countFeatures(in: without(location)) == 1
  }

  private func without(
    _ region: LocationRegion
  ) -> IntersectionRegion<LocationRegion, OrdinalRegion> {
    IntersectionRegion(a: region, b: OrdinalRegion(excluded: keptApart, only: nil))
  }

  /// The annotation that holds the feature.
  func annotation() -> Annotation? {
    let sum = self.sum
    let clustered = sum.map(request.isClustered) ?? false
    // One annotation is made, not all of the cell's, of which there may be any number.
    if isKeptApart || (!clustered && request.settings.decluster) {
      var request = self.request
      // A kept-apart pin beside a cluster stays where it is.
      request.settings.decluster = request.settings.decluster && !clustered
      return made(OrdinalRegion(excluded: OrdinalSet([]), only: ownOrdinal), request)
    }
    return clustered ? made(EverywhereRegion(), request) : made(location, request)
  }

  private func made(_ region: some IndexRegion, _ request: ClusterRequest) -> Annotation? {
    let spreading = PinLayout(all, distance: request.settings.distanceFromContestedLocation)
    var clusterer = GridClusterer(
      scope: scope, region: region, request: request, layer: 0, keptApart: keptApart,
      spreading: spreading)
    guard let made = try? clusterer.run() else { return nil }
    var annotation = made.annotations.first {
      layer.count(of: $0, in: .feature(place)) > 0
    }
    if let weights = request.weightsOfMeans {
      annotation?.weigh(by: weights, scope.index, layer)
    }
    return annotation
  }
}
