import ClusterCore

extension Cost {
  /// The cost of a tile.
  init(of request: TileRequest, over collection: IndexedCollection) {
    self.init(of: request.viewport, over: collection)
    // An annotation with its tags, in place of JSON.
    nanoseconds += bytes / 300 * 1500
  }
}
