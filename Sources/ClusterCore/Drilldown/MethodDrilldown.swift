/// The annotation of a view, by a method without a grid, that holds a feature.
public struct MethodDrilldown: Sendable {
  /// The annotation.
  public let annotation: Annotation
  /// All of the view.
  public let result: ClusterResult
  private let collection: IndexedCollection
  private let request: MethodRequest
  private let markers: MarkerColumns

  /// Looks for the annotation that holds the feature an id names; nil where it is hidden, outside of
  /// the view or not there at all.
  ///
  /// - Throws: ``ImpossibleRequest`` where the view can't be answered.
  public init?(
    _ id: AnnotationID, in collection: IndexedCollection, passing filter: FeatureFilter?,
    _ request: MethodRequest, markers: MarkerColumns
  ) throws(ImpossibleRequest) {
    guard let place = collection.index.place(named: id), filter?.passes(place) ?? true else {
      return nil
    }
    let scope = FeatureScope(collection, passing: filter, near: request.view.tiles)
    let result = try scope.clusters(request, markers: markers)
    guard let annotation = result.annotation(holding: place) else { return nil }
    (self.annotation, self.result, self.collection) = (annotation, result, collection)
    (self.request, self.markers) = (request, markers)
  }

  /// The smallest integer zoom above the view's, up to 24, at which its features alone are no longer
  /// one annotation; nil if there is none.
  public func expansionZoom() throws(ImpossibleRequest) -> Int? {
    guard annotation.isCluster else { return nil }
    let zoomLevel = request.view.zoomLevel
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
        result.places(of: annotation, offset: 0, limit: .max), placed: annotation.first,
        in: collection.index.points, markerWidth: markers.width, markerHeight: markers.height,
        above: zoomLevel)
    }
  }

  /// The rectangle of its features, a tenth wider on each side, at least 512 map points each way. O(n)
  /// for its features.
  public var visibleMapRect: MapRect { exactBounds.visibleMapRect }

  /// The bounds of its features, bit for bit: the annotation's are those of steps, so that the features
  /// of their steps have to tell.
  private var exactBounds: GeoBounds {
    let index = collection.index
    let (degrees, rounded) = (StepDegrees.shared, annotation.bounds)
    var (east, west) = (GeoBounds.empty, GeoBounds.empty)
    var (north, south) = (GeoBounds.empty, GeoBounds.empty)
    result.forEachRun(of: annotation) { run in
      for place in run {
        let position = index.position(at: place)
        let longitude = degrees.roundedLongitude(position.x)
        let latitude = degrees.roundedLatitude(position.y)
        let own = GeoBounds(index.coordinate(at: place))
        if longitude == rounded.west { west.formUnion(own) }
        if longitude == rounded.east { east.formUnion(own) }
        if latitude == rounded.south { south.formUnion(own) }
        if latitude == rounded.north { north.formUnion(own) }
      }
      return true
    }
    // Those of a single feature, and latitudes beyond the projection, are exact.
    return GeoBounds(
      west: west.isEmpty ? rounded.west : west.west,
      south: south.isEmpty ? rounded.south : south.south,
      east: east.isEmpty ? rounded.east : east.east,
      north: north.isEmpty ? rounded.north : north.north)
  }

  /// Its features at another zoom, as if only they existed.
  public func children(
    zoom: Double, limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    var request = zoomed(to: zoom)
    request.limit = limit
    return try scope.clusters(request, markers)
  }

  /// Its features.
  private var scope: FeatureScope {
    var places = GrowingArray<UInt32>(capacity: annotation.count)
    result.forEachFeature(of: annotation) {
      places.append(UInt32($0))
      return true
    }
    return FeatureScope(collection, ordinals: places.fixed)
  }

  private func zoomed(to zoom: Double) -> MethodRequest {
    var request = self.request
    request.view.zoomLevel = zoom
    return request
  }
}

extension FeatureScope {
  /// All features of the scope, wherever they are.
  fileprivate func clusters(
    _ request: MethodRequest, _ markers: MarkerColumns
  ) throws(ImpossibleRequest) -> ClusterResult {
    do {
      return try clustersOfAll(request, markers: markers)
    } catch {
      throw request.refusal(error, features: count)
    }
  }
}
