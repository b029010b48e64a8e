/// What a collection remembers of scopes, which know the collection.
struct RememberedScopes {
  let index: FeatureIndex
  let cache: ScopeCache

  /// The parts with a name, made if they aren't known, out of what they were before the collection
  /// changed.
  func remembered(_ name: ScopeName, _ make: (EarlierParts) -> [ScopePart]) -> [ScopePart] {
    cache.remembered(name) { before in
      let made = make(before ?? .none)
      return ScopeCache.Parts(
        serials: index.serials, all: made.map { ($0.key, $0.scope.selection) })
    }.all.map {
      ScopePart(key: $0.key, scope: FeatureScope(index, $0.selection))
    }
  }

  /// Whether parts with a name are known, or were before the last changes, so that they cost little.
  func has(_ name: ScopeName) -> Bool { cache.has(name) }
}
