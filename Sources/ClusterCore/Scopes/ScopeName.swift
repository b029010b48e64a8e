/// The name of a scope that is worth caching: a filter, and the property by which it is grouped.
struct ScopeName: Hashable, Sendable {
  var filter: FilterExpression?
  var groupBy: [UInt8]?
  /// Whether it is the whole collection with ordinals without gaps.
  var isDense = false

  func grouped(by property: [UInt8]) -> ScopeName {
    ScopeName(filter: filter, groupBy: property)
  }

  /// The approximate memory it takes, in bytes.
  var byteCount: Int { (filter?.byteCount ?? 0) + (groupBy?.count ?? 0) }
}
