import Threading

/// A cache of the columns of an index with a limit of memory.
final class ColumnCache: Sendable {
  struct Key: Hashable {
    var name: [UInt8]
    var isKeys = false
  }

  enum Column {
    case values(PropertyColumn, any PropertyDecoder)
    case keys(KeyColumn)

    var byteCount: Int {
      switch self {
      case .values(let column, _): column.byteCount
      case .keys(let column): column.byteCount
      }
    }
  }

  /// A build slot of a column: the first caller builds it and the others wait.
  private final class Slot: Sendable {
    let column = Locked<Column?>(nil)
  }

  private struct Entry {
    let slot: Slot
    /// The column, or nil while it is being built.
    var column: Column?
    var lastUse: Int
    /// The number of times it was carried over to a changed index without being used.
    var idleCarries = 0

    /// Returns the entry for a changed index.
    func carried(_ column: Column) -> Entry {
      let slot = Slot()
      slot.column.withLock { $0 = column }
      return Entry(slot: slot, column: column, lastUse: lastUse, idleCarries: idleCarries + 1)
    }
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var clock = 0
  }

  private let state = Locked(State())
  private let limit: Int

  /// Creates the cache of an index with `featureCount` features.
  init(featureCount: Int) { limit = 64 << 20 + 48 * featureCount }

  private static let maximumColumns = 256
  /// The approximate size of a column without its arrays, in bytes.
  private static let overhead = 1024
  /// Carrying a large column over to a small change costs about a thousandth of building it. After
  /// this many unused carries it has cost as much as building it would.
  private static let maximumIdleCarries = 1000

  /// Returns whether a column is cached.
  func has(_ key: Key) -> Bool { state.withLock { $0.entries[key]?.column != nil } }

  /// The memory that the columns take, in bytes.
  var byteCount: Int { state.withLock { ColumnCache.byteCount($0.entries) } }

  /// Returns a column, building it if it isn't cached.
  func column(_ key: Key, build: () -> Column) -> Column {
    let slot = state.withLock { state in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      state.entries[key]?.idleCarries = 0
      if let entry = state.entries[key] { return entry.slot }
      let slot = Slot()
      state.entries[key] = Entry(slot: slot, lastUse: state.clock)
      return slot
    }
    let column = slot.column.withLock { column in
      if let column { return column }
      let built = build()
      column = built
      return built
    }
    state.withLock { state in
      guard state.entries[key]?.slot === slot, state.entries[key]?.column == nil else { return }
      state.entries[key]?.column = column
      evict(&state)
    }
    return column
  }

  /// Takes over the columns of the index before a change.
  ///
  /// - Parameters:
  ///   - values: returns the column of the changed index.
  ///   - keys: returns the keys of the changed column, or nil if carrying them over isn't
  ///     worthwhile.
  func take(
    from old: ColumnCache,
    values: ([UInt8], PropertyColumn, any PropertyDecoder) -> PropertyColumn,
    keys: (KeyColumn, PropertyColumn) -> KeyColumn?
  ) {
    let entries = old.state.withLock { $0.entries }.filter {
      $0.value.idleCarries < ColumnCache.maximumIdleCarries
    }
    var taken: [[UInt8]: PropertyColumn] = [:]
    state.withLock { state in
      state.clock = entries.values.map(\.lastUse).max() ?? 0
      for (key, entry) in entries {
        guard case .values(let column, let decoder) = entry.column else { continue }
        let carried = values(key.name, column, decoder)
        taken[key.name] = carried
        state.entries[key] = entry.carried(.values(carried, decoder))
      }
      for (key, entry) in entries {
        guard case .keys(let old) = entry.column, let column = taken[key.name],
          let carried = keys(old, column)
        else { continue }
        state.entries[key] = entry.carried(.keys(carried))
      }
      evict(&state)
    }
  }

  /// Evicts the least recently used columns down to the limit, but never the one that was used
  /// last.
  private func evict(_ state: inout State) {
    var size = ColumnCache.byteCount(state.entries)
    var count = state.entries.count
    guard size > limit || count > ColumnCache.maximumColumns else { return }
    let oldest = state.entries.filter { $0.value.column != nil }
      .sorted { $0.value.lastUse < $1.value.lastUse }
    for (key, entry) in oldest.dropLast()
    where size > limit || count > ColumnCache.maximumColumns {
      state.entries[key] = nil
      size -= ColumnCache.size(key, entry)
      count -= 1
    }
  }

  private static func byteCount(_ entries: [Key: Entry]) -> Int {
    entries.reduce(0) { $0 + size($1.key, $1.value) }
  }

  private static func size(_ key: Key, _ entry: Entry) -> Int {
    (entry.column?.byteCount ?? 0) + key.name.count + overhead
  }
}
