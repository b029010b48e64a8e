import Threading

/// Remembers what some filters and groupings make of a collection, as far as the memory goes: the scopes
/// that were asked for longest ago are forgotten first. A changed collection begins with those of before,
/// of which only what changed is made anew when they are asked for.
///
/// It belongs to the collection, so nothing in it may hold that.
final class ScopeCache: Sendable {
  struct Parts: Sendable {
    var serials: [UInt64]
    var all: [(key: [UInt8]?, selection: FeatureScope.Selection)]

    var byteCount: Int {
      serials.count * 8
        + all.reduce(0) { $0 + $1.selection.byteCount + ($1.key?.count ?? 0) + 512 }
    }

    /// What is of use to a changed collection; nil if nothing is.
    var earlier: EarlierParts? {
      var parts: [(key: [UInt8]?, blocks: BlockSelection)] = []
      for part in all {
        guard let blocks = part.selection.blocks else { return nil }
        parts.append((part.key, blocks))
      }
      return EarlierParts(serials: serials, parts: parts)
    }
  }

  /// Parts that are made by the first who asks for them, while others wait.
  private final class Meeting: Sendable {
    let parts = Locked<Parts?>(nil)
  }

  private struct Entry {
    var meeting = Meeting()
    /// nil as long as they are being made.
    var parts: Parts?
    /// What they were before the collection changed.
    var before: EarlierParts?
    var bytes = 0
    var used = 0
    /// How many changes they have not been asked for.
    var idleChanges = 0
  }

  private struct State {
    var entries: [ScopeName: Entry] = [:]
    var clock = 0
    var bytes = 0
  }

  private let state: Locked<State>
  private let capacity: Int
  /// What nobody asked for in so many changes is forgotten.
  private static let maximumIdleChanges = 1000

  /// - Parameters:
  ///   - capacity: the memory that may be used for it, in bytes.
  ///   - earlier: that of the collection before a change.
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

  /// The parts with a name, made if they aren't known.
  func remembered(_ name: ScopeName, _ make: (EarlierParts?) -> Parts) -> Parts {
    let (meeting, before) = state.withLock { state -> (Meeting, EarlierParts?) in
      state.clock += 1
      var entry = state.entries[name] ?? Entry()
      entry.used = state.clock
      entry.idleChanges = 0
      state.entries[name] = entry
      return (entry.meeting, entry.before)
    }
    return meeting.parts.withLock { parts in
      if let parts { return parts }
      let made = make(before)
      parts = made
      keep(made, name, meeting)
      return made
    }
  }

  /// Whether parts with a name are known, or were before the last changes, so that they cost little.
  func has(_ name: ScopeName) -> Bool {
    state.withLock { state in
      state.entries[name].map { $0.parts != nil || $0.before != nil } ?? false
    }
  }

  private func keep(_ parts: Parts, _ name: ScopeName, _ meeting: Meeting) {
    let bytes = 4096 + name.byteCount + parts.byteCount
    let forgotten = state.withLock { state -> [Entry] in
      guard let entry = state.entries[name], entry.meeting === meeting else { return [] }
      state.bytes += bytes - entry.bytes
      state.entries[name]?.bytes = bytes
      state.entries[name]?.parts = parts
      state.entries[name]?.before = nil
      var forgotten = [entry]
      while state.bytes > capacity,
        let oldest = state.entries.filter({ $0.value.bytes > 0 }).min(by: {
          $0.value.used < $1.value.used
        })
      {
        state.bytes -= oldest.value.bytes
        state.entries[oldest.key] = nil
        forgotten.append(oldest.value)
      }
      return forgotten
    }
    // Freed, if nobody else uses them, after the lock is given back.
    _ = forgotten
  }
}
