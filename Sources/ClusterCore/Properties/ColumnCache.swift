import Threading

/// The columns of an index that were asked for, within a bound of memory.
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

  /// Where those who want the same column meet: the first builds it and the others wait.
  private final class Slot: Sendable {
    let column = Locked<Column?>(nil)
  }

  private struct Entry {
    let slot: Slot
    /// nil as long as it is being built.
    var column: Column?
    var lastUse: Int
    /// How often it was carried over to the index of a change without being asked for.
    var idleCarries = 0

    /// The entry of a changed index.
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

  /// A cache for an index of a number of features.
  init(featureCount: Int) { limit = 64 << 20 + 48 * featureCount }

  private static let maximumColumns = 256
  /// Bytes that a column takes beside its arrays, about.
  private static let overhead = 1024
  /// Carrying a column over to a small change costs about a thousandth of building a large one. One that
  /// nobody asked for in so many changes has cost as much as building it would.
  private static let maximumIdleCarries = 1000

  /// Whether a column is there already.
  func has(_ key: Key) -> Bool { state.withLock { $0.entries[key]?.column != nil } }

  /// The memory that the columns take, in bytes.
  var byteCount: Int { state.withLock { ColumnCache.byteCount($0.entries) } }

  /// A column, which is built if it isn't there.
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

  /// Takes over the columns of an index that this cache's index was made of by a change.
  ///
  /// - Parameters:
  ///   - values: makes the column of the changed index.
  ///   - keys: makes the keys of such a column out of those before; nil if they aren't worth it.
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

  /// Lets go of those that were used least recently, down to the limit; but not of the last one used,
  /// however large it is.
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
