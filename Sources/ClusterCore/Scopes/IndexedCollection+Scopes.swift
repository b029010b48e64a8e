extension IndexedCollection {
  /// Returns the parts with a name. Parts that aren't cached are made from those of an earlier
  /// version.
  func scopes<E: Error>(
    named name: ScopeName, _ make: (ScopeParts) throws(E) -> [ScopePart]
  ) throws(E) -> [ScopePart] {
    let parts = try scopes.value(for: name) { (earlier) throws(E) in
      let made = try make(earlier ?? .none)
      return ScopeParts(serials: index.serials, all: made.map { ($0.key, $0.scope.selection) })
    }
    return parts.all.map { ScopePart(key: $0.key, scope: FeatureScope(self, $0.selection)) }
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

  /// Returns whether parts with a name are cached for this or an earlier version.
  func hasScopes(named name: ScopeName) -> Bool { scopes.contains(name) }

  /// Returns whether the scope of a filter and a grouping is cached. For tests.
  public func hasCachedScope(filter: FilterExpression?, groupBy: [UInt8]?) -> Bool {
    hasScopes(named: ScopeName(filter: filter?.normalised, groupBy: groupBy))
  }
}
