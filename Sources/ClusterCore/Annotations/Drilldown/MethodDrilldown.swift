/// The annotation that holds a feature in a viewport, by a method without a grid.
public struct MethodDrilldown: Sendable {
  /// The annotation.
  public let annotation: Annotation
  /// The result for the whole viewport.
  public let result: ClusterResult
  private let collection: IndexedCollection
  private let request: MethodRequest
  private let markers: MarkerColumns

  /// Looks up the annotation that holds the feature an id names; nil if the feature is hidden, is outside
  /// the viewport or doesn't exist.
  ///
  /// - Throws: ``ImpossibleRequest`` if the viewport has too many features or annotations.
  public init?(
    _ id: AnnotationID, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: MethodRequest, markers: MarkerColumns
  ) throws(ImpossibleRequest) {
    guard let ordinal = collection.index.ordinal(named: id), filter?.passes(ordinal) ?? true else {
      return nil
    }
    let scope = FeatureScope(collection, passing: filter, near: request.viewport.tiles)
    let result = try scope.clusters(request, markers: markers)
    guard let annotation = result.annotation(holding: ordinal) else { return nil }
    (self.annotation, self.result, self.collection) = (annotation, result, collection)
    (self.request, self.markers) = (request, markers)
  }

  /// The zoom above the viewport's at which the annotation's features alone are no longer a single annotation,
  /// and the rectangle in which to show them.
  ///
  /// - Throws: ``ImpossibleRequest`` if the annotation has too many features, or memory is short.
  /// - Complexity: O(n) in its features.
  public func expansion() throws(ImpossibleRequest) -> Expansion {
    var result = result
    result.expansionZooms = [:]
    try request.findExpansionZoom(of: annotation, in: &result, collection)
    return result.expansion(of: annotation, in: collection.index)
  }

  /// Clusters its features at another zoom as if only they existed.
  ///
  /// - Parameter findsExpansion: whether the zooms at which the children come apart are needed.
  /// - Throws: ``ImpossibleRequest`` if the zoom is out of range, there are too many features or more children than
  ///   the limit, or memory is short.
  public func children(
    zoom: Double, limit: Int, findsExpansion: Bool
  ) throws(ImpossibleRequest) -> ClusterResult {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    var request = request
    request.viewport.zoomLevel = zoom
    request.limit = limit
    let scope = scope
    var result: ClusterResult
    do {
      result = try scope.clustersOfAll(request, markers: markers)
    } catch {
      throw request.refusal(error, features: scope.count)
    }
    if findsExpansion { try request.findExpansionZooms(in: &result, collection) }
    return result
  }

  /// Its features at the last zoom, each of them a pin of its own, spread around shared coordinates.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more pins than the limit, or memory is short.
  /// - Complexity: O(n log n) in its features.
  public func pins(
    _ settings: ClusterSettings, limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    guard annotation.count <= limit else {
      throw request.refusal(.annotations(annotation.count), features: annotation.count)
    }
    let ordinals = result.ordinals(of: annotation, offset: 0, limit: annotation.count)
    // Without others that share its features' coordinates.
    let scope = FeatureScope(collection, ordinals: ordinals)
    var pinLayout = PinLayout(
      scope, settings.spread(atZoom: Double(ClusterLayer.zooms.upperBound)))
    let group = result.layer(of: annotation).group
    var pins = ClusterResult()
    pins.featureCount = annotation.count
    pins.layers = [
      ClusterLayer(
        scope, grid: nil, cellSize: 0, settings, group: group, keptApart: OrdinalSet([]))
    ]
    for ordinal in ordinals {
      var pin = Annotation(pin: ordinal, of: collection.index.points)
      pin.spread(by: &pinLayout, of: ordinal)
      pins.annotations.append(pin)
    }
    return pins
  }

  private var scope: FeatureScope { result.scope(of: annotation, in: collection) }
}
