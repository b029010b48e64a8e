import Threading

extension MethodRequest {
  /// Finds the zooms of the expansions of all clusters of a result; see ``ClusterResult/expansion(of:in:)``.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are too many features, or memory is short.
  /// - Complexity: O(n) in the features of the clusters, for each zoom.
  public func findExpansionZooms(
    in result: inout ClusterResult, _ collection: IndexedCollection
  ) throws(ImpossibleRequest) {
    result.expansionZooms = [:]
    for annotation in result.annotations where annotation.isCluster {
      if Cancellation.poll(2000 &+ annotation.count &* 20) { throw .cancelled }
      try findExpansionZoom(of: annotation, in: &result, collection)
    }
  }

  /// Finds the smallest integer zoom above the viewport's, up to 24, at which an annotation's features alone
  /// are no longer a single annotation.
  func findExpansionZoom(
    of annotation: Annotation, in result: inout ClusterResult, _ collection: IndexedCollection
  ) throws(ImpossibleRequest) {
    guard annotation.isCluster else { return }
    let zoomLevel = viewport.zoomLevel
    let zoom: Int?
    switch method {
    case .distance(let epsilon):
      let own = result.scope(of: annotation, in: collection)
      do {
        zoom = try ExpansionZoom.ofComponent(own.points, epsilon: epsilon, above: zoomLevel)
      } catch {
        throw refusal(error, features: own.count)
      }
    case .collision(let markers):
      zoom = ExpansionZoom.ofCluster(
        result.ordinals(of: annotation, offset: 0, limit: .max), placed: annotation.first,
        in: collection.index.points, markerWidth: markers.width, markerHeight: markers.height,
        above: zoomLevel)
    }
    result.expansionZooms?[annotation.first] = zoom
  }
}

extension ClusterResult {
  /// The scope of only an annotation's features.
  func scope(of annotation: Annotation, in collection: IndexedCollection) -> FeatureScope {
    var ordinals = GrowingArray<UInt32>(capacity: annotation.count)
    forEachFeature(of: annotation) {
      ordinals.append(UInt32($0))
      return true
    }
    return FeatureScope(collection, ordinals: ordinals.fixed)
  }
}
