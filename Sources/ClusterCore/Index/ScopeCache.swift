import Guards

/// What a scope that is worth remembering is of: a filter, and a property that takes it apart.
struct ScopeName: Hashable, Sendable {
  var filter: FilterExpression?
  var groupBy: [UInt8]?

  func grouped(by property: [UInt8]) -> ScopeName {
    ScopeName(filter: filter, groupBy: property)
  }

  /// The memory that it takes, in bytes, about.
  var byteCount: Int { (filter?.byteCount ?? 0) + (groupBy?.count ?? 0) }
}

/// What a collection remembers of scopes, which know the collection.
struct RememberedScopes {
  typealias Parts = [(rank: Int, scope: FeatureScope)]

  let index: FeatureIndex
  let cache: ScopeCache

  /// The parts with a name, made if they aren't known.
  func remembered(_ name: ScopeName, _ make: () -> Parts) -> Parts {
    cache.remembered(name) { make().map { ($0.rank, $0.scope.selection) } }
      .map { ($0.rank, FeatureScope(index, $0.selection)) }
  }

  /// Whether parts with a name are known, so that they cost nothing.
  func has(_ name: ScopeName) -> Bool { cache.has(name) }
}

/// Remembers what some filters and groupings make of a collection, for as long as it stays as it is
/// and as far as the memory goes: the scopes that were asked for longest ago are forgotten first.
///
/// It belongs to the collection's index, so nothing in it may hold that.
final class ScopeCache: Sendable {
  typealias Parts = [(rank: Int, selection: FeatureScope.Selection)]

  /// Parts that are made by the first who asks for them, while others wait.
  private final class Entry: Sendable {
    let parts = Guarded<Parts?>(nil)
  }

  private struct State {
    var entries: [ScopeName: (entry: Entry, bytes: Int, used: Int)] = [:]
    var clock = 0
    var bytes = 0
  }

  private let state = Guarded(State())
  private let capacity: Int

  /// - Parameter capacity: the memory that may be used for it, in bytes.
  init(capacity: Int) { self.capacity = capacity }

  /// The parts with a name, made if they aren't known.
  func remembered(_ name: ScopeName, _ make: () -> Parts) -> Parts {
    let entry = state.withLock { state -> Entry in
      state.clock += 1
      let known = state.entries[name]
      let entry = known?.entry ?? Entry()
      state.entries[name] = (entry, known?.bytes ?? 0, state.clock)
      return entry
    }
    return entry.parts.withLock { parts in
      if let parts { return parts }
      let made = make()
      parts = made
      account(
        name, entry,
        bytes: 4096 + name.byteCount + made.reduce(0) { $0 + $1.selection.byteCount + 512 })
      return made
    }
  }

  /// Whether parts with a name are known, so that they cost nothing.
  func has(_ name: ScopeName) -> Bool { state.withLock { ($0.entries[name]?.bytes ?? 0) > 0 } }

  private func account(_ name: ScopeName, _ entry: Entry, bytes: Int) {
    let forgotten = state.withLock { state -> [Entry] in
      guard state.entries[name]?.entry === entry else { return [] }
      state.entries[name]?.bytes = bytes
      state.bytes += bytes
      var forgotten: [Entry] = []
      while state.bytes > capacity,
        let oldest = state.entries.filter({ $0.value.bytes > 0 }).min(by: {
          $0.value.used < $1.value.used
        })
      {
        state.bytes -= oldest.value.bytes
        state.entries[oldest.key] = nil
        forgotten.append(oldest.value.entry)
      }
      return forgotten
    }
    // Freed, if nobody else uses them, after the lock is given back.
    _ = forgotten
  }
}

extension FeatureIndex {
  /// Whether what a filter and a grouping make of the collection is known, so that a view of it takes
  /// little longer than a plain one.
  public func remembers(filter: FilterExpression?, groupBy: [UInt8]?) -> Bool {
    scopes.has(ScopeName(filter: filter?.normalised, groupBy: groupBy))
  }
}
