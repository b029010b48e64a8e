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
    _ place: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: ClusterRequest
  ) {
    let grouping = request.grouping
    let rank = grouping?.keys.rank(at: place)
    let group = rank.flatMap { grouping?.group(Int($0)) }
    var own = request.layer(ofKey: group?.key)
    own.grouping = nil
    func cell(_ request: ClusterRequest) -> LocatedCell {
      LocatedCell(
        place, in: collection, passing: filter, request, of: group,
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
    _ place: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: MethodRequest,
    _ view: FeatureView, margin: Double, markers: MarkerColumns
  ) throws(ImpossibleRequest) {
    let scope = FeatureScope(collection, passing: filter, near: request.view.tiles)
    result = try scope.clusters(request, markers: markers)
    annotation = result.annotation(holding: place)
    standaloneZoom = try LocatedFeature.standaloneZoom { (zoom) throws(ImpossibleRequest) in
      var zoomed = request
      zoomed.view = try TileViewport(
        rect: view.rect(atZoom: Double(zoom)), scale: .zoom(Double(zoom)), marginFactor: margin)
      zoomed.limit = ClusterRequest.maximumLimit
      let scope = FeatureScope(collection, passing: filter, near: zoomed.view.tiles)
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
    let keptApart = inside.ordinals(of: request.keepApart)
    guard let own = inside.scopeOrdinal(place), !keptApart.contains(own) else { return false }
    return inside.points.hasFeature(
      linkedTo: own, within: epsilon * request.view.mapPointsPerPoint, excluding: keptApart)
  }
}
