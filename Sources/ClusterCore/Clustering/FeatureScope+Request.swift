extension FeatureScope {
  /// Creates a scope of the features of a collection that pass a filter, at least those in the cells of
  /// a request and of its groups.
  public init(
    _ collection: IndexedCollection, passing filter: FeatureFilter?, near request: ClusterRequest
  ) {
    self.init(collection, passing: filter, nearAny: request.allCells)
  }

  /// The ordinals in the collection of the features in a rectangle, in index order.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more than the limit.
  public func ordinals(in region: MapRegion, limit: Int) throws(ImpossibleRequest) -> [Int] {
    let found = points.countFeatures(in: region)
    guard found <= limit else {
      let remedy =
        found <= ClusterRequest.maximumLimit
        ? "a limit of \(found) would do" : "a smaller rect or clustering would do"
      throw ImpossibleRequest(
        field: "limit",
        detail: "the rect holds \(found) features, more than the limit of \(limit); \(remedy)")
    }
    return ordinals(inAny: region, offset: 0, limit: limit)
  }
}
