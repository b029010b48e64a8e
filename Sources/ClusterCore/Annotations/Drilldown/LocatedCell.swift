/// The cell of a feature, with those features in it that are in the same group.
struct LocatedCell {
  let layer: ClusterLayer
  private let ordinal: Int
  private let all: FeatureScope
  private let scope: FeatureScope
  private let request: ClusterRequest
  private let cell: CellPosition
  private let keptApart: OrdinalSet

  init(
    _ ordinal: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: ClusterRequest,
    of group: ClusterGroup?, where isInGroup: (Int) -> Bool
  ) {
    self.ordinal = ordinal
    var request = request
    let grid = request.cells.grid
    let index = collection.index
    cell = withExtendedLifetime(index) { grid.cell(of: ordinal, in: index.points.pointers) }
    let region = AnyRegion(CellRegion(grid: grid, cell: cell))
    all = FeatureScope(collection, passing: filter, nearAny: region)
    scope = group == nil ? all : all.selecting(in: region, where: isInGroup)
    request.cells = GridRange(grid: grid, only: cell)
    self.request = request
    keptApart = scope.ordinals(of: request.settings.keepApart)
    layer = ClusterLayer(
      scope, grid: grid, cellSize: request.cellSize, request.settings, group: group,
      keptApart: keptApart)
  }

  /// The sum of the features of the cell that aren't kept apart; nil if there are none.
  private var sum: CellSum? {
    GridSummation.sums(
      of: scope.points, in: EverywhereRegion(), by: request.cells, excluding: keptApart,
      countingLocations: request.settings.minUniqueLocationsForClustering > 1
    ).first
  }

  private var ownOrdinal: Int { scope.scopeOrdinal(ordinal) ?? 0 }
  private var isKeptApart: Bool { keptApart.contains(ownOrdinal) }

  private var location: CellRegion {
    CellRegion(
      grid: request.cells.grid, cell: cell,
      location: scope.points.position(at: ownOrdinal).location)
  }

  var isAlone: Bool {
    if isKeptApart { return true }
    guard let sum else { return false }
    if request.isClustered(sum) { return sum.count == 1 }
    return request.settings.decluster
      || scope.points.countFeatures(in: location.without(keptApart)) == 1
  }

  func annotation() -> Annotation? {
    let sum = self.sum
    let clustered = sum.map(request.isClustered) ?? false
    // Only one annotation is made, because the cell may have any number of them.
    if isKeptApart || (!clustered && request.settings.decluster) {
      var request = self.request
      // A kept-apart pin beside a cluster stays where it is.
      request.settings.decluster = request.settings.decluster && !clustered
      return made(AnyRegion(OrdinalRegion(excluded: OrdinalSet([]), only: ownOrdinal)), request)
    }
    return made(clustered ? AnyRegion(EverywhereRegion()) : AnyRegion(location), request)
  }

  private func made(_ region: AnyRegion, _ request: ClusterRequest) -> Annotation? {
    let pinLayout = PinLayout(all, request.settings.spread(atZoom: request.screenZoom))
    var clusterer = GridClusterer(
      scope: scope, region: region, request: request, layer: 0, keptApart: keptApart,
      pinLayout: pinLayout, annotations: [])
    guard (try? clusterer.run()) != nil else { return nil }
    var annotation = clusterer.annotations.first {
      layer.count(of: $0, in: .feature(ordinal)) > 0
    }
    if let weights = request.weightsOfMeans {
      annotation?.weigh(by: weights, scope.index, layer)
    }
    return annotation
  }
}
