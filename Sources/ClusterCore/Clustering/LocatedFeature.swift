/// A feature that was looked for: what stands for it in a view, and from which zoom on it stands alone.
public struct LocatedFeature: Sendable {
  /// The annotation that holds it; nil where it is hidden.
  public let annotation: Annotation?
  /// Where the annotation comes from.
  public let result: ClusterResult
  /// The smallest integer zoom from which on it is alone at each up to 24; nil if there is none.
  public let standaloneZoom: Int?

  /// Looks for a feature in a view on a grid. Only its own cell is looked at.
  ///
  /// - Parameter filter: passes the feature.
  public init(
    _ place: Int, in index: FeatureIndex, passing filter: FeatureFilter?, _ request: ClusterRequest
  ) {
    let grouping = request.grouping
    let rank = grouping?.keys.rank(at: place)
    let group = rank.flatMap { grouping?.group(Int($0)) }
    var own = request.layer(ofKey: group?.key)
    own.grouping = nil
    func cell(_ request: ClusterRequest) -> LocatedCell {
      LocatedCell(
        place, in: index, passing: filter, request, of: group,
        where: { grouping?.keys.rank(at: $0) == rank })
    }
    let found = cell(own)
    annotation = found.annotation()
    result = ClusterResult(annotation, of: found.layer)
    standaloneZoom = LocatedFeature.standaloneZoom { zoom in
      var zoomed = own
      zoomed.zoomLevel = Double(zoom)
      zoomed.cells = GridRange(
        grid: CellGrid(zoom: Double(zoom), cellSize: own.cellSize), covering: WebMercator.world)
      return cell(zoomed).isAlone
    }
  }

  /// Looks for a feature by a method without a grid.
  ///
  /// - Parameters:
  ///   - filter: passes the feature.
  ///   - view: the screen; at each zoom it is the view around the feature.
  ///   - margin: the share of the width and height that is added on each side.
  /// - Throws: ``ImpossibleRequest`` where the view can't be answered.
  public init(
    _ place: Int, in index: FeatureIndex, passing filter: FeatureFilter?, _ request: MethodRequest,
    _ view: FeatureView, margin: Double, markers: MarkerColumns
  ) throws(ImpossibleRequest) {
    let scope = FeatureScope(index, passing: filter, near: request.view.tiles)
    result = try scope.clusters(request, markers: markers)
    annotation = result.annotation(holding: place)
    standaloneZoom = try LocatedFeature.standaloneZoom { (zoom) throws(ImpossibleRequest) in
      var zoomed = request
      zoomed.view = try TileViewport(
        rect: view.rect(atZoom: Double(zoom)), scale: .zoom(Double(zoom)), marginFactor: margin)
      zoomed.limit = ClusterRequest.maximumLimit
      let scope = FeatureScope(index, passing: filter, near: zoomed.view.tiles)
      if case .distance(let epsilon) = zoomed.method {
        return !scope.isLinked(place, within: epsilon, zoomed)
      }
      let result = try scope.clusters(zoomed, markers: markers)
      return result.annotation(holding: place)?.count == 1
    }
  }

  private static func standaloneZoom<E: Error>(
    _ isAlone: (Int) throws(E) -> Bool
  ) throws(E) -> Int? {
    var alone: Int?
    for zoom in Drilldown.zooms.reversed() {
      guard try isAlone(zoom) else { break }
      alone = zoom
    }
    return alone
  }
}

extension FeatureScope {
  /// Whether a feature is linked to another one of a view.
  fileprivate func isLinked(
    _ place: Int, within epsilon: Double, _ request: MethodRequest
  ) -> Bool {
    let keys = request.grouping?.keys
    let rank = keys?.rank(at: place)
    let inside = selecting(in: CellsRegion(request.view.tiles)) { run, pass in
      for other in run where keys?.rank(at: other) == rank { pass(other) }
    }
    let keptApart = inside.places(of: request.keepApart)
    guard let own = inside.scopeOrdinal(place), !keptApart.contains(own) else { return false }
    return inside.points.hasFeature(
      linkedTo: own, within: epsilon * request.view.mapPointsPerPoint, excluding: keptApart)
  }
}

/// The cell of a feature, and what there is in it of its group.
private struct LocatedCell {
  let layer: ClusterLayer
  private let place: Int
  private let all: FeatureScope
  private let scope: FeatureScope
  private let request: ClusterRequest
  private let cell: CellPosition
  private let keptApart: OrdinalSet

  init(
    _ place: Int, in index: FeatureIndex, passing filter: FeatureFilter?, _ request: ClusterRequest,
    of group: ClusterGroup?, where isInGroup: (Int) -> Bool
  ) {
    self.place = place
    var request = request
    let grid = request.cells.grid
    cell = withExtendedLifetime(index) { grid.cell(of: place, in: index.points.view) }
    let region = CellRegion(grid: grid, cell: cell)
    all = FeatureScope(index, passing: filter, nearAny: region)
    scope =
      group == nil
      ? all
      : all.selecting(in: region) { run, pass in
        for place in run where isInGroup(place) { pass(place) }
      }
    request.cells = GridRange(grid: grid, only: cell)
    self.request = request
    keptApart = scope.places(of: request.settings.keepApart)
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
