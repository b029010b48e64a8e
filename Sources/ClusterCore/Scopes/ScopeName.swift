/// What a scope that is worth remembering is of: a filter, and a property that takes it apart.
struct ScopeName: Hashable, Sendable {
  var filter: FilterExpression?
  var groupBy: [UInt8]?
  /// Whether it is everything, without gaps between places.
  var isDense = false

  func grouped(by property: [UInt8]) -> ScopeName {
    ScopeName(filter: filter, groupBy: property)
  }

  /// The memory that it takes, in bytes, about.
  var byteCount: Int { (filter?.byteCount ?? 0) + (groupBy?.count ?? 0) }
}
