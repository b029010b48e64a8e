import ClusterCore
import Threading

/// Where features of a collection were before or are after its latest changes, by version, and the
/// snapshot that came of them. It is kept from the collection's first watcher on.
final class TouchLog: Sendable {
  /// The most coordinates.
  static let capacity = 65_536

  fileprivate struct State {
    var snapshot: CollectionSnapshot
    /// What changed after this version is in the log.
    var floor: Int64
    var coordinates: [Coordinate] = []
    /// What the changes ended with, in coordinates since the log began; those before `first` are
    /// forgotten.
    var changes: [(version: Int64, end: Int)] = []
    var first = 0
    /// The coordinates since the log began that aren't in memory any more.
    var forgotten = 0
    /// Whether somebody waits for a change.
    var isAwaited = false
    var isEnded = false

    var end: Int { forgotten + coordinates.count }
  }

  private let state: Locked<State>
  private let wake: @Sendable (TouchLog) -> Void

  /// A log that begins with a snapshot. `wake` is called at the first change after each ``take(after:)``,
  /// and mustn't wait for anything.
  init(from snapshot: CollectionSnapshot, wake: @escaping @Sendable (TouchLog) -> Void) {
    state = Locked(State(snapshot: snapshot, floor: snapshot.info.version))
    self.wake = wake
  }

  /// Takes a change in, whose snapshot is now shown; to be followed by ``notify()``.
  func append(_ snapshot: CollectionSnapshot, _ touched: TouchedCoordinates) {
    state.withLock { $0.append(snapshot, touched) }
  }

  /// The collection was dropped; to be followed by ``notify()``.
  func end() { state.withLock { $0.isEnded = true } }

  /// Wakes who waits for a change.
  func notify() {
    let isAwaited = state.withLock { state in
      defer { state.isAwaited = false }
      return state.isAwaited
    }
    if isAwaited { wake(self) }
  }

  /// The collection as it is now; nil once it was dropped. The next change wakes who asked.
  func take() -> CollectionSnapshot? {
    state.withLock { state in
      state.isAwaited = true
      return state.isEnded ? nil : state.snapshot
    }
  }

  /// What was touched after a version; nil where the log doesn't say.
  func coordinates(after version: Int64) -> [Coordinate]? {
    state.withLock { $0.coordinates(after: version) }
  }
}

extension TouchLog.State {
  fileprivate mutating func append(_ snapshot: CollectionSnapshot, _ touched: TouchedCoordinates) {
    self.snapshot = snapshot
    guard case .known(let added) = touched, added.count <= TouchLog.capacity else {
      (changes, first) = ([], 0)
      (coordinates, forgotten) = ([], 0)
      floor = snapshot.info.version
      return
    }
    coordinates += added
    changes.append((snapshot.info.version, end))
    while let change = changes.dropFirst(first).first,
      end - start > TouchLog.capacity || changes.count - first > TouchLog.capacity
    {
      floor = change.version
      first += 1
    }
    // Moving the rest costs no more than what was forgotten has cost.
    guard first > TouchLog.capacity || start - forgotten > TouchLog.capacity else { return }
    coordinates.removeFirst(start - forgotten)
    forgotten = start
    changes.removeFirst(first)
    first = 0
  }

  /// Where the first change that isn't forgotten begins.
  private var start: Int { first > 0 ? changes[first - 1].end : forgotten }

  fileprivate func coordinates(after version: Int64) -> [Coordinate]? {
    guard version >= floor, version <= snapshot.info.version else { return nil }
    let next = (first..<changes.count).partitionPoint { changes[$0].version <= version }
    let start = next > 0 ? changes[next - 1].end : forgotten
    return Array(coordinates[(start - forgotten)...])
  }
}
