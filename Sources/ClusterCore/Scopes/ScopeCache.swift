import Threading

/// A cache of the scopes of filters and groupings with a limit of memory. The least recently used
/// scopes are evicted first. A changed collection starts with the earlier scopes and updates only
/// the changed blocks of a scope when it is used.
///
/// The cache belongs to the collection, so its entries must not retain the collection.
final class ScopeCache: Sendable {
  struct Parts: Sendable {
    var serials: [UInt64]
    var all: [(key: [UInt8]?, selection: FeatureScope.Selection)]

    var byteCount: Int {
      serials.count * 8
        + all.reduce(0) { $0 + $1.selection.byteCount + ($1.key?.count ?? 0) + 512 }
    }

    /// The parts in the form that a changed collection can use, or nil if it can't.
    var earlier: EarlierParts? {
      var parts: [(key: [UInt8]?, blocks: BlockSelection)] = []
      for part in all {
        guard let blocks = part.selection.blocks else { return nil }
        parts.append((part.key, blocks))
      }
      return EarlierParts(serials: serials, parts: parts)
    }
  }

  /// A build slot: the first caller makes the parts while others wait.
  private final class Slot: Sendable {
    let parts = Locked<Parts?>(nil)
  }

  private struct Entry {
    var slot = Slot()
    /// The parts, or nil while they are being made.
    var parts: Parts?
    /// The parts of an earlier version.
    var before: EarlierParts?
    var bytes = 0
    var used = 0
    /// The number of changes since the last use.
    var idleChanges = 0
  }

  private struct State {
    var entries: [ScopeName: Entry] = [:]
    var clock = 0
    var bytes = 0
  }

  private let state: Locked<State>
  private let capacity: Int
  /// The number of changes without a use after which an entry is dropped.
  private static let maximumIdleChanges = 1000

  /// - Parameters:
  ///   - capacity: the limit of memory in bytes.
  ///   - earlier: the cache of the version before a change.
  init(capacity: Int, inheriting earlier: ScopeCache? = nil) {
    self.capacity = capacity
    var state = State()
    if let (clock, entries) = earlier?.state.withLock({ ($0.clock, $0.entries) }) {
      state.clock = clock
      for (name, entry) in entries where entry.idleChanges < ScopeCache.maximumIdleChanges {
        guard let before = entry.parts?.earlier ?? entry.before else { continue }
        state.entries[name] = Entry(
          before: before, bytes: entry.bytes, used: entry.used, idleChanges: entry.idleChanges + 1)
        state.bytes += entry.bytes
      }
    }
    self.state = Locked(state)
  }

  /// Returns the parts with a name, making them if they aren't cached.
  func parts(named name: ScopeName, _ make: (EarlierParts?) -> Parts) -> Parts {
    let (slot, before) = state.withLock { state -> (Slot, EarlierParts?) in
      state.clock += 1
      var entry = state.entries[name] ?? Entry()
      entry.used = state.clock
      entry.idleChanges = 0
      state.entries[name] = entry
      return (entry.slot, entry.before)
    }
    return slot.parts.withLock { parts in
      if let parts { return parts }
      let made = make(before)
      parts = made
      store(made, name, slot)
      return made
    }
  }

  /// Returns whether parts with a name are cached for this or an earlier version, so that they cost
  /// little.
  func has(_ name: ScopeName) -> Bool {
    state.withLock { state in
      state.entries[name].map { $0.parts != nil || $0.before != nil } ?? false
    }
  }

  private func store(_ parts: Parts, _ name: ScopeName, _ slot: Slot) {
    let bytes = 4096 + name.byteCount + parts.byteCount
    let evicted = state.withLock { state -> [Entry] in
      guard let entry = state.entries[name], entry.slot === slot else { return [] }
      state.bytes += bytes - entry.bytes
      state.entries[name]?.bytes = bytes
      state.entries[name]?.parts = parts
      state.entries[name]?.before = nil
      var evicted = [entry]
      while state.bytes > capacity,
        let oldest = state.entries.filter({ $0.value.bytes > 0 }).min(by: {
          $0.value.used < $1.value.used
        })
      {
        state.bytes -= oldest.value.bytes
        state.entries[oldest.key] = nil
        evicted.append(oldest.value)
      }
      return evicted
    }
    // Entries are freed after the lock is released.
    _ = evicted
  }
}
