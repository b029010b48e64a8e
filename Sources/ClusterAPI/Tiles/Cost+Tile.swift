import ClusterCore

extension Cost {
  /// The cost of a tile.
  init(of request: TileRequest, over collection: IndexedCollection) {
    self.init(of: request.viewport, over: collection)
    // An annotation with its tags, in place of JSON.
    let annotations = bytes / 300
    nanoseconds += annotations * (request.hasExpansion ? 25_000 : 1500)
  }
}
