/// The parts of the scope with a ``ScopeName``, without their collection.
struct ScopeParts: Sendable {
  /// The key of some features for the property by which the scope is grouped, or nil for none, and these features.
  typealias Part = (key: [UInt8]?, selection: FeatureSelection)

  /// The serials of the blocks of the index that the parts were selected from.
  let serials: [UInt64]
  let all: [Part]

  /// No parts of an empty index.
  static let none = ScopeParts(serials: [], all: [])

  /// Returns the memory that the parts take with their name, in bytes.
  func cost(_ name: ScopeName) -> Int {
    let own = all.reduce(0) { $0 + $1.selection.byteCount + ($1.key?.count ?? 0) + 512 }
    return 4096 + name.byteCount + serials.count * 8 + own
  }

  /// Whether all parts are selected by block, so that those of a changed collection can be derived.
  var areByBlock: Bool { all.allSatisfy(\.selection.isByBlock) }

  /// Returns the selection of a key, which is empty if there is none.
  func blocks(ofKey key: [UInt8]?) -> FeatureSelection {
    all.first { $0.key == key }?.selection ?? .none
  }
}

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

extension IndexedCollection {
  /// Returns whether the scope of a filter and a grouping is cached. For tests.
  public func hasCachedScope(filter: FilterExpression?, groupBy: [UInt8]?) -> Bool {
    scopes.contains(ScopeName(filter: filter?.normalised, groupBy: groupBy))
  }

  /// Returns the parts with a name. Parts that aren't cached are made from those of an earlier
  /// version.
  func parts<E: Error>(
    named name: ScopeName, _ make: (ScopeParts) throws(E) -> [ScopeParts.Part]
  ) throws(E) -> [ScopeParts.Part] {
    try scopes.value(for: name) { (earlier) throws(E) in
      ScopeParts(serials: index.serials, all: try make(earlier ?? .none))
    }.all
  }

  /// Returns the bits of a normalised filter without shapes that all features must be in; nil if there is no
  /// memory for them.
  func masks(of filter: FilterExpression) -> FilterMasks? {
    // Nothing would be remembered of no memory.
    struct NoMemory: Error {}
    return try? masks.value(for: filter) { (before) throws(NoMemory) in
      guard let made = FilterMasks(of: index, after: before) else { throw NoMemory() }
      return made
    }
  }
}
