import Threading
import Synchronization

/// The memory that all remembered cells of a service share, and what became of them.
final class CellCacheBudget: Sendable {
  private struct WeakGrid: Sendable { weak var grid: CachedGrid? }

  /// How much may be taken, in bytes.
  static let defaultLimit = 64 << 20

  private let limit: Int
  private let taken = Atomic<Int>(0)
  private let clock = Atomic<Int>(0)
  private let copied = Atomic<Int>(0)
  private let clustered = Atomic<Int>(0)
  private let grids = Locked<[WeakGrid]>([])
  private let isMakingRoom = Atomic<Bool>(false)

  init(limit: Int = CellCacheBudget.defaultLimit) { self.limit = limit }

  /// The memory that is taken, in bytes; it may be a little over the limit for a moment.
  var byteCount: Int { taken.load(ordering: .relaxed) }

  /// The longest view whose cells are kept, in bytes.
  var maximumView: Int { limit / 4 }

  /// How many cells of answers were there already, and how many had to be clustered.
  var counts: (remembered: Int, clustered: Int) {
    (copied.load(ordering: .relaxed), clustered.load(ordering: .relaxed))
  }

  /// A time by which grids are older or newer. It goes on when cells are clustered, so that those who only
  /// copy don't write what all of them read.
  var time: Int { clock.load(ordering: .relaxed) }

  func add(_ bytes: Int) { taken.add(bytes, ordering: .relaxed) }

  /// Counts the cells of an answer that were there already.
  func count(remembered: Int) { copied.add(remembered, ordering: .relaxed) }

  /// Counts cells that were clustered, and sees to it that there is room for more.
  func count(clustered: Int) {
    self.clustered.add(clustered, ordering: .relaxed)
    clock.add(1, ordering: .relaxed)
    if byteCount > limit { makeRoom() }
  }

  /// Takes a grid in, whose cells may be forgotten to make room.
  func register(_ grid: CachedGrid) {
    grids.withLock { grids in
      grids.removeAll { $0.grid == nil }
      grids.append(WeakGrid(grid: grid))
    }
  }

  /// Forgets the cells of the grids that were asked for least recently, and half of the last one's.
  private func makeRoom() {
    guard !isMakingRoom.exchange(true, ordering: .acquiring) else { return }
    defer { isMakingRoom.store(false, ordering: .releasing) }
    let grids = grids.withLock { $0.compactMap(\.grid) }.map { ($0.lastUse, $0) }
      .sorted { $0.0 < $1.0 }
    for (number, grid) in grids.enumerated() where byteCount > limit / 8 * 7 {
      grid.1.forget(half: number == grids.count - 1)
    }
  }
}
