import ClusterCore
import Synchronization
import Threading

/// The coordinates of the latest changes of a collection, by version, and its latest snapshot. A
/// collection has a log from its first watcher on.
package final class InvalidationLog: Sendable {
  /// The most coordinates that a log keeps.
  package static let capacity = 65_536

  /// The logs of a catalogue, which keep less each where there are many.
  final class Family: Sendable {
    /// The coordinates that all logs may keep; logs that aren't written to any more keep their
    /// coordinates.
    private static let total = 16 * InvalidationLog.capacity
    private let count = Atomic<Int>(0)

    fileprivate func join() { count.add(1, ordering: .relaxed) }
    fileprivate func leave() { count.subtract(1, ordering: .relaxed) }

    /// The most coordinates that one of them keeps, and the most changes.
    fileprivate var share: Int {
      min(InvalidationLog.capacity, Family.total / max(count.load(ordering: .relaxed), 1))
    }
  }

  private struct State {
    var snapshot: CollectionSnapshot
    /// The log holds all changes after this version and later ones.
    var floor: Int64
    /// The changes and their coordinates. Those before the index `first` are discarded.
    var changes: [(version: Int64, invalidated: [Coordinate])] = []
    var first = 0
    /// The number of coordinates that are kept.
    var count = 0
    /// Whether `wake` is to be called at the next change.
    var isAwaited = false
    var isEnded = false

    mutating func append(
      _ snapshot: CollectionSnapshot, _ invalidated: [Coordinate]?, atMost capacity: Int
    ) {
      let last = self.snapshot.info.version
      self.snapshot = snapshot
      guard let invalidated, invalidated.count <= capacity else {
        (changes, first, count) = ([], 0, 0)
        // A collection that was loaded anew may have had other contents at the versions up to the last one.
        let version = snapshot.info.version
        floor = max(floor, version > last ? version : last + 1)
        return
      }
      changes.append((snapshot.info.version, invalidated))
      count += invalidated.count
      while count > capacity || changes.count - first > capacity {
        floor = max(floor, changes[first].version)
        count -= changes[first].invalidated.count
        changes[first].invalidated = []
        first += 1
      }
      // Moving the rest costs no more than appending the discarded changes has cost.
      guard first > capacity else { return }
      changes.removeFirst(first)
      first = 0
    }

    /// The changes after a version that was shown here; nil for another: between two that were, another instance may have
    /// shown features that came and went.
    func changes(after version: Int64) -> ArraySlice<(version: Int64, invalidated: [Coordinate])>? {
      guard version >= floor, version <= snapshot.info.version else { return nil }
      let next = (first..<changes.count).partitionPoint { changes[$0].version <= version }
      let isShown = version == floor || next > first && changes[next - 1].version == version
      return isShown ? changes[next...] : nil
    }
  }

  private let state: Locked<State>
  private let family: Family
  private let wake: @Sendable (InvalidationLog) -> Void

  /// A log that begins with a snapshot. `wake` is called at the first change after each ``take()``,
  /// and must not block.
  init(
    from snapshot: CollectionSnapshot, in family: Family,
    wake: @escaping @Sendable (InvalidationLog) -> Void
  ) {
    state = Locked(State(snapshot: snapshot, floor: snapshot.info.version))
    self.family = family
    self.wake = wake
    family.join()
  }

  deinit { family.leave() }

  /// Appends a change whose snapshot is shown now. ``notify()`` must follow.
  func append(_ snapshot: CollectionSnapshot, _ invalidated: [Coordinate]?) {
    let share = family.share
    state.withLock { $0.append(snapshot, invalidated, atMost: share) }
  }

  /// Ends the log, because the collection was dropped. ``notify()`` must follow.
  func end() { state.withLock { $0.isEnded = true } }

  /// Calls `wake` if a change is awaited.
  func notify() {
    let isAwaited = state.withLock { state in
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if isAwaited { wake(self) }
  }

  /// The latest snapshot; nil once the collection was dropped. The next change calls `wake`.
  package func take() -> CollectionSnapshot? {
    state.withLock { state in
      state.isAwaited = true
      return state.isEnded ? nil : state.snapshot
    }
  }

  /// The coordinates that were changed after a version; nil if the log doesn't have that.
  ///
  /// - Complexity: O(coordinates).
  package func coordinates(after version: Int64) -> [Coordinate]? {
    state.withLock { $0.changes(after: version)?.flatMap(\.invalidated) }
  }

  /// The number of changes after a version; nil if the log doesn't have that.
  package func changeCount(after version: Int64) -> Int? {
    state.withLock { $0.changes(after: version)?.count }
  }
}
