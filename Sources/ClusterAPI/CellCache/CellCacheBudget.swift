import Threading
import Synchronization

/// The memory that all cached cells of a service share, and counters of their use.
final class CellCacheBudget: Sendable {
  private struct WeakGrid: Sendable { weak var grid: CachedGrid? }

  /// The most memory that cells may take, in bytes.
  static let defaultLimit = 64 << 20

  private let limit: Int
  private let taken = Atomic<Int>(0)
  private let clock = Atomic<Int>(0)
  private let cached = Atomic<Int>(0)
  private let clustered = Atomic<Int>(0)
  private let grids = Locked<[WeakGrid]>([])
  private let isMakingRoom = Atomic<Bool>(false)

  init(limit: Int = CellCacheBudget.defaultLimit) { self.limit = limit }

  /// The memory that is taken, in bytes. It may exceed the limit a little for a moment.
  var byteCount: Int { taken.load(ordering: .relaxed) }

  /// The most bytes of a viewport whose cells are kept.
  var maximumViewport: Int { limit / 4 }

  /// The number of cells of answers that came from the cache, and of those that had to be clustered.
  var counts: (cached: Int, clustered: Int) {
    (cached.load(ordering: .relaxed), clustered.load(ordering: .relaxed))
  }

  /// A clock for the age of grids. It advances when cells are clustered, so that readers who only copy cells
  /// don't write to memory that all of them read.
  var time: Int { clock.load(ordering: .relaxed) }

  func add(_ bytes: Int) { taken.add(bytes, ordering: .relaxed) }

  /// Counts the cells of an answer that came from the cache.
  func count(cached: Int) { self.cached.add(cached, ordering: .relaxed) }

  /// Counts cells that were clustered, and evicts others if there is no room for more.
  func count(clustered: Int) {
    self.clustered.add(clustered, ordering: .relaxed)
    clock.add(1, ordering: .relaxed)
    if byteCount > limit { makeRoom() }
  }

  /// Adds a grid, whose cells may be evicted to make room.
  func register(_ grid: CachedGrid) {
    grids.withLock { grids in
      grids.removeAll { $0.grid == nil }
      grids.append(WeakGrid(grid: grid))
    }
  }

  /// Evicts the cells of the least recently used grids, and half of the last one's.
  private func makeRoom() {
    guard !isMakingRoom.exchange(true, ordering: .acquiring) else { return }
    defer { isMakingRoom.store(false, ordering: .releasing) }
    let grids = grids.withLock { $0.compactMap(\.grid) }.map { ($0.lastUse, $0) }
      .sorted { $0.0 < $1.0 }
    for (number, grid) in grids.enumerated() where byteCount > limit / 8 * 7 {
      grid.1.evict(half: number == grids.count - 1)
    }
  }
}
