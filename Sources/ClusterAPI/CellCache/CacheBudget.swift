import ClusterCore
import Synchronization

/// The memory that all cached cells of a service share, or all cached tiles, and counters of their use.
final class CacheBudget: Sendable {
  /// That of all grids, or of all tiles. Its clock advances when some are made, so that readers who only copy don't write to
  /// memory that all of them read.
  let memory: MemoryBudget
  private let cached = Atomic<Int>(0)
  private let made = Atomic<Int>(0)

  /// - Parameter limit: the most memory, in bytes.
  init(limit: Int) { memory = MemoryBudget(limit: limit) }

  /// The number of cells or tiles of answers that came from the cache, and of those that had to be made.
  var counts: (cached: Int, made: Int) {
    (cached.load(ordering: .relaxed), made.load(ordering: .relaxed))
  }

  /// Counts what came from the cache.
  func count(cached: Int) { self.cached.add(cached, ordering: .relaxed) }

  /// Counts what was made, and evicts others if there is no room for more.
  func count(made: Int) {
    self.made.add(made, ordering: .relaxed)
    memory.tick()
    memory.makeRoom()
  }
}
