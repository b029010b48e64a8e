import Threading

/// A cache of values that are built once, limited in memory, and carried over from one version of a
/// collection to the next.
///
/// The first caller that uses a key builds its value while others with the same key wait. If the
/// values cost more than the capacity, the least recently used ones are evicted, except the last
/// used one.
final class VersionCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// The form in which the next version takes over a value.
  enum Carried {
    /// The value of the next version.
    case current(Value)
    /// A value of this version, from which that of the next is built on first use.
    case stale(Value)
  }

  private final class Slot: Sendable {
    let value = Locked<Value?>(nil)
  }

  /// A key with its hash, which is computed once: that of a long filter takes as long as reading it, and versions come
  /// and go with every write.
  private struct Name: Hashable, Sendable {
    let key: Key
    private let hash: Int

    init(_ key: Key) { (self.key, hash) = (key, key.hashValue) }

    static func == (one: Name, other: Name) -> Bool {
      one.hash == other.hash && one.key == other.key
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  private struct Entry {
    /// The build slot, locked by the caller that builds the value.
    var slot = Slot()
    /// The value, or nil until it is built.
    var value: Value?
    /// The value of an earlier version, or nil if there is none or `value` is built.
    var stale: Value?
    /// The cost in bytes; 0 until there is a value or a stale one.
    var cost = 0
    var lastUse = 0
    /// The number of versions since the last use.
    var idleVersions = 0
  }

  private struct State {
    var entries: [Name: Entry] = [:]
    var cost = 0
    /// The number of uses so far.
    var clock = 0
  }

  private let state = Locked(State())
  private let capacity: Int
  private let maximumCount: Int
  private let cost: @Sendable (Key, Value) -> Int

  /// The number of versions that a value is carried over to without being used. Carrying a large
  /// value over to a small change costs about a thousandth of building it, so by then it has cost
  /// as much as building it would.
  private static var maximumIdleVersions: Int { 1000 }

  /// Creates an empty cache for values of a total cost of `capacity`.
  ///
  /// - Parameter cost: returns the memory that a value takes with its key, in bytes, more than 0.
  init(
    capacity: Int, maximumCount: Int = .max, cost: @escaping @Sendable (Key, Value) -> Int
  ) {
    (self.capacity, self.maximumCount, self.cost) = (capacity, maximumCount, cost)
  }

  /// The cost of everything that is kept.
  var byteCount: Int { state.withLock { $0.cost } }

  /// Returns whether there is a value or a stale one.
  func contains(_ key: Key) -> Bool {
    let name = Name(key)
    return state.withLock { $0.entries[name]?.cost ?? 0 > 0 }
  }

  /// Returns the value of a key if it is built. That isn't a use.
  func existing(_ key: Key) -> Value? {
    let name = Name(key)
    return state.withLock { $0.entries[name]?.value }
  }

  /// Returns the value of a key, which `build` builds if it is missing. Nothing is kept of a build that was
  /// cancelled: the next caller builds the value anew. Where time is limited, work is over that would have to wait
  /// for another's build.
  func value<E: Error>(
    for key: Key, build: (_ stale: Value?) throws(E) -> Value
  ) throws(E) -> Value {
    let name = Name(key)
    let entry = state.withLock { state in
      state.clock += 1
      var entry = state.entries[name] ?? Entry()
      (entry.lastUse, entry.idleVersions) = (state.clock, 0)
      state.entries[name] = entry
      return entry
    }
    if let value = entry.value { return value }
    let slot = entry.slot
    return try slot.value.withLongLock(
      otherwise: { Result { () throws(E) in try build(entry.stale) } }
    ) { value -> Result<Value, E> in
      if let value { return .success(value) }
      // Of a build that fails or is cancelled not even the key is left.
      defer { forget(name, slot) }
      return Result { () throws(E) in
        let built = try build(entry.stale)
        if Interruption.isOver { return built }
        value = built
        keep(built, of: name, slot)
        return built
      }
    }.get()
  }

  /// Stores a value that was just built, unless its entry was evicted meanwhile.
  private func keep(_ value: Value, of name: Name, _ slot: Slot) {
    let cost = cost(name.key, value)
    let released = state.withLock { state -> [Entry] in
      guard var entry = state.entries[name], entry.slot === slot else { return [] }
      let stale = entry
      state.cost += cost - entry.cost
      (entry.value, entry.stale, entry.cost) = (value, nil, cost)
      state.entries[name] = entry
      return [stale] + evict(&state)
    }
    // Entries are freed after the lock is released.
    _ = released
  }

  /// Removes an entry that has no value, not even a stale one.
  private func forget(_ name: Name, _ slot: Slot) {
    state.withLock { state in
      guard let entry = state.entries[name], entry.slot === slot, entry.cost == 0 else { return }
      state.entries[name] = nil
    }
  }

  /// Removes and returns the least recently used entries, down to the capacity. Of many it removes an eighth at
  /// once, as finding the oldest takes as long as going through all.
  private func evict(_ state: inout State) -> [Entry] {
    guard state.cost > capacity || state.entries.count > maximumCount else { return [] }
    var evicted: [Entry] = []
    let oldest = state.entries.filter { $0.value.cost > 0 }
      .sorted { $0.value.lastUse < $1.value.lastUse }
    let least = oldest.count < 512 ? 0 : oldest.count / 8
    for (name, entry) in oldest.dropLast() {
      guard
        state.cost > capacity || state.entries.count > maximumCount || evicted.count < least
      else { break }
      state.entries[name] = nil
      state.cost -= entry.cost
      evicted.append(entry)
    }
    return evicted
  }

  /// Returns the cache of the next version, to which `carry` carries values over: for each that it is given, which may
  /// be stale, it returns what becomes of it, or nil. O(entries), but for `carry`.
  func next(
    capacity: Int, _ carry: ([(key: Key, value: Value)]) -> [Carried?]
  ) -> VersionCache {
    let next = VersionCache(capacity: capacity, maximumCount: maximumCount, cost: cost)
    let (entries, clock) = state.withLock { ($0.entries, $0.clock) }
    if entries.isEmpty {
      next.state.withLock { $0.clock = clock }
      return next
    }
    let known = entries.compactMap { name, entry in
      entry.idleVersions < VersionCache.maximumIdleVersions
        ? (entry.value ?? entry.stale).map { (name: name, entry: entry, value: $0) } : nil
    }
    let carried = carry(known.map { ($0.name.key, $0.value) })
    next.state.withLock { state in
      state.clock = clock
      state.entries.reserveCapacity(known.count)
      for (earlier, carried) in zip(known, carried) {
        guard let carried else { continue }
        var entry = Entry(
          lastUse: earlier.entry.lastUse, idleVersions: earlier.entry.idleVersions + 1)
        switch carried {
        case .current(let value):
          (entry.value, entry.cost) = (value, cost(earlier.name.key, value))
        case .stale(let value): (entry.stale, entry.cost) = (value, earlier.entry.cost)
        }
        state.entries[earlier.name] = entry
        state.cost += entry.cost
      }
      _ = next.evict(&state)
    }
    return next
  }
}
