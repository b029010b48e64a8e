/// The annotation that holds a feature in a viewport, and the zoom from which on the feature is alone.
public struct LocatedFeature: Sendable {
  /// The annotation that holds the feature; nil if it is hidden.
  public let annotation: Annotation?
  /// The result that the annotation is part of.
  public let result: ClusterResult
  /// The smallest integer zoom such that the feature is alone in its annotation at it and at all larger
  /// ones up to 24; nil if there is none.
  public let standaloneZoom: Int?

  /// Locates a feature, given by its ordinal, in a viewport on a grid. Only its own cell is clustered.
  ///
  /// - Parameter filter: The filter, which must pass the feature.
  public init(
    _ ordinal: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: ClusterRequest
  ) {
    let grouping = request.grouping
    let rank = grouping?.keys.rank(at: ordinal)
    let group = rank.flatMap { grouping?.group(Int($0)) }
    var own = request.layer(ofKey: group?.key)
    own.grouping = nil
    func cell(_ request: ClusterRequest) -> LocatedCell {
      LocatedCell(
        ordinal, in: collection, passing: filter, request, of: group,
        where: { grouping?.keys.rank(at: $0) == rank })
    }
    let found = cell(own)
    annotation = found.annotation()
    result = ClusterResult(annotation, of: found.layer)
    let points = collection.index.points
    standaloneZoom = LocatedFeature.standaloneZoom { zoom in
      let zoomLevel = own.settings.zoomStep.roundedDown(Double(zoom))
      let grid = CellGrid(zoom: zoomLevel, cellSize: own.cellSize)
      // Most zooms are answered without selecting the features of the group.
      if points.isAlone(ordinal, on: grid) { return true }
      var zoomed = own
      zoomed.zoomLevel = zoomLevel
      zoomed.cells = GridRange(grid: grid, covering: WebMercator.world)
      return cell(zoomed).isAlone
    }
  }

  /// Locates a feature, given by its ordinal, by a method without a grid.
  ///
  /// - Parameters:
  ///   - filter: The filter, which must pass the feature.
  ///   - viewport: The viewport around the feature, which is scaled to each zoom.
  ///   - margin: The fraction of the width and height that is added on each side.
  ///   - findsExpansion: Whether the zoom at which the annotation comes apart is needed.
  /// - Throws: ``ImpossibleRequest`` if a viewport has too many features or annotations.
  public init(
    _ ordinal: Int, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: MethodRequest, _ viewport: FeatureViewport, margin: Double, markers: MarkerColumns,
    findsExpansion: Bool = false
  ) throws(ImpossibleRequest) {
    let scope = FeatureScope(collection, passing: filter, near: request.viewport.tiles)
    var result = try scope.clusters(request, markers: markers)
    annotation = result.annotation(holding: ordinal)
    if let annotation, findsExpansion {
      result.expansionZooms = [:]
      try request.findExpansionZoom(of: annotation, in: &result, collection)
    }
    self.result = result
    standaloneZoom = try LocatedFeature.standaloneZoom { (zoom) throws(ImpossibleRequest) in
      var zoomed = request
      zoomed.viewport = try TileViewport(
        rect: viewport.rect(atZoom: Double(zoom)), scale: .zoom(Double(zoom)), marginFactor: margin)
      zoomed.limit = ClusterRequest.maximumLimit
      let scope = FeatureScope(collection, passing: filter, near: zoomed.viewport.tiles)
      if case .distance(let epsilon) = zoomed.method {
        return !scope.isLinked(ordinal, within: epsilon, zoomed)
      }
      let result = try scope.clusters(zoomed, markers: markers)
      return result.annotation(holding: ordinal)?.count == 1
    }
  }

  private static func standaloneZoom<E: Error>(
    _ isAlone: (Int) throws(E) -> Bool
  ) throws(E) -> Int? {
    var alone: Int?
    for zoom in ClusterLayer.zooms.reversed() {
      guard try isAlone(zoom) else { break }
      alone = zoom
    }
    return alone
  }
}

extension PointIndex {
  /// Whether no other feature is in the cell of a feature. O(log n).
  fileprivate func isAlone(_ ordinal: Int, on grid: CellGrid) -> Bool {
    let cell = withExtendedLifetime(self) { grid.cell(of: ordinal, in: pointers) }
    return countFeatures(in: CellRegion(grid: grid, cell: cell)) == 1
  }
}

extension FeatureScope {
  /// Whether a feature is linked to another one of its group in the request's viewport.
  fileprivate func isLinked(
    _ ordinal: Int, within epsilon: Double, _ request: MethodRequest
  ) -> Bool {
    let keys = request.grouping?.keys
    let rank = keys?.rank(at: ordinal)
    let inside = selecting(in: CellsRegion(request.viewport.tiles)) { keys?.rank(at: $0) == rank }
    let keptApart = inside.ordinals(of: request.keepApart)
    guard let own = inside.scopeOrdinal(ordinal), !keptApart.contains(own) else { return false }
    let radius = epsilon * request.viewport.mapPointsPerPoint
    return ComponentClusterer(points: inside.points, radius: radius, keptApart: keptApart)
      .isLinked(own)
  }
}

extension FeatureIndex {
  /// The ordinal of the feature that an id names; nil if there is none.
  func ordinal(named id: AnnotationID) -> Int? {
    switch id {
    case .cell: nil
    case .feature(let feature): ordinal(of: feature)
    case .longText(let prefix, let hash):
      prefix.withUnsafeBytes { bytes -> Int? in
        var ordinal: Int?
        directory.forEach(from: directory.index(notBefore: .text(bytes), records)) { reference in
          let text = records[reference].textID
          guard text.starts(with: prefix) else { return false }
          if StableHash128(text) == hash { ordinal = self.ordinal(of: reference) }
          return ordinal == nil
        }
        return ordinal
      }
    }
  }
}
