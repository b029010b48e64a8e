import ClusterCore
import HTTPServer
import Synchronization

/// A tile in a ``TileCache``, or the place of one that is being encoded.
///
/// `@unchecked Sendable`: its variables are read and written by its cache alone, under the cache's lock, and when the last
/// reference has gone.
final class CachedTile: Evictable, @unchecked Sendable {
  /// The cached content of a tile; an empty tile has no body.
  struct Content {
    let body: KeptBody?

    init(_ bytes: [UInt8]) { body = bytes.isEmpty ? nil : KeptBody(bytes) }

    /// About its memory, in bytes.
    var byteCount: Int { body?.maximumByteCount ?? 0 }
  }

  let key: TileKey
  /// The version from which on the tile has been as it is.
  let version: Int64
  /// Nil until it is known.
  private(set) var content: Content?
  /// The memory that is counted for it, in bytes.
  private var byteCount: Int
  private weak var cache: TileCache?
  private let memory: MemoryBudget
  private let used: Atomic<Int>

  /// A tile without content.
  init(_ key: TileKey, from version: Int64, in cache: TileCache) {
    (self.key, self.version, self.cache) = (key, version, cache)
    memory = cache.budget.memory
    used = Atomic(memory.time)
    byteCount = key.byteCount
    memory.add(byteCount)
    memory.register(self)
  }

  deinit {
    memory.remove(self)
    free()
  }

  /// Keeps its content.
  func fill(with content: Content) {
    self.content = content
    byteCount += content.byteCount
    memory.add(content.byteCount)
  }

  /// Frees its memory, as nobody finds it any more.
  func free() {
    memory.add(-byteCount)
    (content, byteCount) = (nil, 0)
  }

  /// The time of the last use.
  var lastUse: Int { used.load(ordering: .relaxed) }

  /// Notes that it is used.
  func use() { used.store(memory.time, ordering: .relaxed) }

  /// Removes it from its cache.
  func evict(half: Bool) { cache?.remove(self) }
}
