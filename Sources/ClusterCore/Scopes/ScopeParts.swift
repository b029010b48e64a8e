/// The parts of the scope with a ``ScopeName``, without their collection.
struct ScopeParts: Sendable {
  /// The serials of the blocks of the index that the parts were selected from.
  let serials: [UInt64]
  let all: [(key: [UInt8]?, selection: FeatureScope.Selection)]

  /// No parts of an empty index.
  static let none = ScopeParts(serials: [], all: [])

  /// Returns the memory that the parts take with their name, in bytes.
  func cost(_ name: ScopeName) -> Int {
    let own = all.reduce(0) { $0 + $1.selection.byteCount + ($1.key?.count ?? 0) + 512 }
    return 4096 + name.byteCount + serials.count * 8 + own
  }

  /// Whether all parts are selected by block, so that those of a changed collection can be derived.
  var areByBlock: Bool { all.allSatisfy { $0.selection.blocks != nil } }

  var keys: [[UInt8]?] { all.map(\.key) }

  /// Returns the selection of a key, which is empty if there is none.
  func blocks(ofKey key: [UInt8]?) -> BlockSelection {
    all.first { $0.key == key }?.selection.blocks ?? BlockSelection()
  }
}

/// A part of a cached scope.
struct ScopePart {
  /// The key of its features for the property by which the scope is grouped, or nil for none.
  var key: [UInt8]?
  var scope: FeatureScope
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
