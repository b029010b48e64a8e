import Synchronization
import Threading

/// A cache of values that are built once, limited in memory, and carried over from one version of a
/// collection to the next.
///
/// The first caller that uses a key builds its value while others with the same key wait. If the
/// values cost more than the capacity, the least recently used ones are evicted, except the last
/// used one. If those of all caches cost more than their budget, the caches used least recently are emptied.
final class VersionCache<Key: Hashable & Sendable, Value: Sendable>: Evictable {
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
  }

  private let state = Locked(State())
  private let used: Atomic<Int>
  let capacity: CacheCapacity
  private let budget: MemoryBudget
  private let maximumCount: Int
  private let cost: @Sendable (Key, Value) -> Int

  /// The number of versions that a value is carried over to without being used. Carrying a large
  /// value over to a small change costs about a thousandth of building it, so by then it has cost
  /// as much as building it would.
  private static var maximumIdleVersions: Int { 1000 }

  /// Creates an empty cache for values of a total cost of `capacity`.
  ///
  /// - Parameters:
  ///   - budget: the memory of all caches, to which those for features are added.
  ///   - cost: returns the memory that a value takes with its key, in bytes, more than 0.
  init(
    capacity: CacheCapacity, in budget: MemoryBudget, maximumCount: Int = .max,
    lastUse: Int = 0, cost: @escaping @Sendable (Key, Value) -> Int
  ) {
    (self.capacity, self.budget, self.maximumCount) = (capacity, budget, maximumCount)
    used = Atomic(lastUse)
    self.cost = cost
    budget.add(-capacity.forFeatures)
    budget.register(self)
  }

  deinit {
    budget.remove(self)
    budget.add(capacity.forFeatures - byteCount)
  }

  /// The time of the last use of a value.
  var lastUse: Int { used.load(ordering: .relaxed) }

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
    let now = budget.tick()
    used.store(now, ordering: .relaxed)
    let entry = state.withLock { state in
      var entry = state.entries[name] ?? Entry()
      (entry.lastUse, entry.idleVersions) = (now, 0)
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
        if Cancellation.isOver { return built }
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
      budget.add(cost - entry.cost)
      (entry.value, entry.stale, entry.cost) = (value, nil, cost)
      state.entries[name] = entry
      return [stale] + evict(&state, to: capacity.total)
    }
    // Entries are freed after the lock is released.
    _ = released
    budget.makeRoom()
  }

  /// Removes an entry that has no value, not even a stale one.
  private func forget(_ name: Name, _ slot: Slot) {
    state.withLock { state in
      guard let entry = state.entries[name], entry.slot === slot, entry.cost == 0 else { return }
      state.entries[name] = nil
    }
  }

  /// Removes and returns the least recently used entries, down to a cost. Of many it removes an eighth at
  /// once, as finding the oldest takes as long as going through all.
  private func evict(_ state: inout State, to most: Int) -> [Entry] {
    guard state.cost > most || state.entries.count > maximumCount else { return [] }
    var evicted: [Entry] = []
    let oldest = state.entries.filter { $0.value.cost > 0 }
      .sorted { $0.value.lastUse < $1.value.lastUse }
    let least = oldest.count < 512 ? 0 : oldest.count / 8
    for (name, entry) in oldest.dropLast() {
      guard
        state.cost > most || state.entries.count > maximumCount || evicted.count < least
      else { break }
      state.entries[name] = nil
      state.cost -= entry.cost
      budget.add(-entry.cost)
      evicted.append(entry)
    }
    return evicted
  }

  func evict(half: Bool) {
    let evicted = state.withLock { state in
      if half { return evict(&state, to: state.cost / 2) }
      let built = state.entries.filter { $0.value.cost > 0 }
      for name in built.keys { state.entries[name] = nil }
      budget.add(-state.cost)
      state.cost = 0
      return Array(built.values)
    }
    // Freed after the lock is released, as in `keep`.
    _ = evicted
  }

  /// Returns the cache of the next version, to which `carry` carries values over: for each that it is given, which may
  /// be stale, it returns what becomes of it, or nil. O(entries), but for `carry`.
  func next(
    capacity: CacheCapacity, _ carry: ([(key: Key, value: Value)]) -> [Carried?]
  ) -> VersionCache {
    let next = VersionCache(
      capacity: capacity, in: budget, maximumCount: maximumCount, lastUse: lastUse, cost: cost)
    let entries = state.withLock { $0.entries }
    if entries.isEmpty { return next }
    let known = entries.compactMap { name, entry in
      entry.idleVersions < VersionCache.maximumIdleVersions
        ? (entry.value ?? entry.stale).map { (name: name, entry: entry, value: $0) } : nil
    }
    let carried = carry(known.map { ($0.name.key, $0.value) })
    next.state.withLock { state in
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
      budget.add(state.cost)
      _ = next.evict(&state, to: capacity.total)
    }
    return next
  }
}

/// The bytes that the values of a ``VersionCache`` may cost.
struct CacheCapacity {
  /// Those of any collection.
  var common: Int
  /// Those that the collection has in addition, for its features.
  var forFeatures = 0

  var total: Int { common + forFeatures }
}
