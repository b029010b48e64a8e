import ClusterCore
import Synchronization

/// The memory that all cached cells of a service share, and counters of their use.
final class CellCacheBudget: Sendable {
  /// The most memory that cells may take, in bytes.
  static let defaultLimit = 64 << 20

  /// That of all grids. Its clock advances when cells are clustered, so that readers who only copy cells don't write to
  /// memory that all of them read.
  let memory: MemoryBudget
  private let cached = Atomic<Int>(0)
  private let clustered = Atomic<Int>(0)

  init(limit: Int = CellCacheBudget.defaultLimit) { memory = MemoryBudget(limit: limit) }

  /// The most bytes of a viewport whose cells are kept.
  var maximumViewport: Int { memory.limit / 4 }

  /// The number of cells of answers that came from the cache, and of those that had to be clustered.
  var counts: (cached: Int, clustered: Int) {
    (cached.load(ordering: .relaxed), clustered.load(ordering: .relaxed))
  }

  /// Counts the cells of an answer that came from the cache.
  func count(cached: Int) { self.cached.add(cached, ordering: .relaxed) }

  /// Counts cells that were clustered, and evicts others if there is no room for more.
  func count(clustered: Int) {
    self.clustered.add(clustered, ordering: .relaxed)
    memory.tick()
    memory.makeRoom()
  }
}
