extension FeatureScope {
  /// Returns the ordinals in the collection of at most `limit` features in a region, or of all, by their distance on the
  /// globe, the nearest first, and of several at one distance the first in index order.
  public func ordinals(in region: DegreesRegion?, nearestTo origin: GlobeDistance, limit: Int)
    -> [Int]
  {
    let found =
      region.map { points.nearest(to: origin, in: $0, limit: limit) }
      ?? points.nearest(to: origin, in: EverywhereRegion(), limit: limit)
    return found.map { collectionOrdinal($0) }
  }
}
