extension IndexedCollection {
  /// The parts with a name. Those that aren't known are made out of what they were before the collection
  /// changed.
  func scopes(named name: ScopeName, _ make: (ScopeParts) -> [ScopePart]) -> [ScopePart] {
    let parts = scopes.value(for: name) { earlier in
      let made = make(earlier ?? .none)
      return ScopeParts(serials: index.serials, all: made.map { ($0.key, $0.scope.selection) })
    }
    return parts.all.map { ScopePart(key: $0.key, scope: FeatureScope(self, $0.selection)) }
  }

  /// Whether parts with a name are known, or were before the last changes, so that they cost little.
  func knows(_ name: ScopeName) -> Bool { scopes.contains(name) }

  /// Whether what a filter and a grouping make of the collection is known, so that a view of it takes
  /// little longer than a plain one.
  public func remembers(filter: FilterExpression?, groupBy: [UInt8]?) -> Bool {
    knows(ScopeName(filter: filter?.normalised, groupBy: groupBy))
  }
}
