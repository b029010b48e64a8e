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

  /// Returns the smallest integer zoom above the viewport's, up to 24, at which the annotation's features
  /// alone are no longer a single annotation; nil if there is none.
  public func expansionZoom() throws(ImpossibleRequest) -> Int? {
    guard annotation.isCluster else { return nil }
    let zoomLevel = request.viewport.zoomLevel
    switch request.method {
    case .distance(let epsilon):
      let own = scope
      do {
        return try ExpansionZoom.ofComponent(own.points, epsilon: epsilon, above: zoomLevel)
      } catch {
        throw request.refusal(error, features: own.count)
      }
    case .collision(let markers):
      return ExpansionZoom.ofCluster(
        result.ordinals(of: annotation, offset: 0, limit: .max), placed: annotation.first,
        in: collection.index.points, markerWidth: markers.width, markerHeight: markers.height,
        above: zoomLevel)
    }
  }

  /// The rectangle in which to show its features: extended by a tenth on each side and at least 512 map
  /// points wide and high.
  ///
  /// - Complexity: O(n) in its features.
  public var visibleMapRect: MapRect {
    let bounds = result.layer(of: annotation).exactBounds(of: annotation, in: collection.index)
    return bounds.visibleMapRect
  }

  /// Clusters its features at another zoom as if only they existed.
  public func children(
    zoom: Double, limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    var request = request
    request.viewport.zoomLevel = zoom
    request.limit = limit
    let scope = scope
    do {
      return try scope.clustersOfAll(request, markers: markers)
    } catch {
      throw request.refusal(error, features: scope.count)
    }
  }

  private var scope: FeatureScope {
    var ordinals = GrowingArray<UInt32>(capacity: annotation.count)
    result.forEachFeature(of: annotation) {
      ordinals.append(UInt32($0))
      return true
    }
    return FeatureScope(collection, ordinals: ordinals.fixed)
  }
}
