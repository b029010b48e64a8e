import Synchronization
import Threading

/// The memory that all cached tiles of a service share, and counters of their use.
final class TileCacheBudget: Sendable {
  private struct WeakCache: Sendable { weak var cache: TileCache? }

  /// The most memory that tiles may take, in bytes.
  static let defaultLimit = 32 << 20

  private let limit: Int
  private let taken = Atomic<Int>(0)
  private let added = Atomic<Int>(0)
  private let cached = Atomic<Int>(0)
  private let encoded = Atomic<Int>(0)
  private let caches = Locked<[ObjectIdentifier: WeakCache]>([:])
  private let isMakingRoom = Atomic<Bool>(false)

  init(limit: Int = TileCacheBudget.defaultLimit) { self.limit = limit }

  /// The memory that is taken, in bytes. It may exceed the limit a little for a moment.
  var byteCount: Int { taken.load(ordering: .relaxed) }

  /// The most memory of a tile that is kept.
  var maximumTile: Int { limit / 8 }

  /// The number of tiles that came from the cache, and of those that had to be encoded.
  var counts: (cached: Int, encoded: Int) {
    (cached.load(ordering: .relaxed), encoded.load(ordering: .relaxed))
  }

  /// A clock for the age of tiles. It advances when some part of the memory has been filled anew.
  var time: Int { added.load(ordering: .relaxed) / max(1, limit / 16) }

  /// Counts a tile that came from the cache.
  func countCached() { cached.add(1, ordering: .relaxed) }

  /// Counts a tile that was encoded.
  func countEncoded() { encoded.add(1, ordering: .relaxed) }

  /// Counts memory, and evicts tiles if there is no room for more.
  func add(_ bytes: Int) {
    added.add(bytes, ordering: .relaxed)
    taken.add(bytes, ordering: .relaxed)
    if byteCount > limit { makeRoom() }
  }

  /// Counts the memory of tiles that were removed.
  func remove(_ tiles: [CachedTile]) {
    let bytes = tiles.reduce(0) { $0 + $1.byteCount }
    if bytes > 0 { taken.subtract(bytes, ordering: .relaxed) }
  }

  /// Adds a cache, whose tiles may be evicted to make room.
  func register(_ cache: TileCache) {
    caches.withLock { caches in
      caches = caches.filter { $0.value.cache != nil }
      caches[ObjectIdentifier(cache)] = WeakCache(cache: cache)
    }
  }

  /// Evicts the least recently used tiles.
  private func makeRoom() {
    guard !isMakingRoom.exchange(true, ordering: .acquiring) else { return }
    defer { isMakingRoom.store(false, ordering: .releasing) }
    let caches = caches.withLock { $0.values.compactMap(\.cache) }
    var bytes: [Int: Int] = [:]
    for cache in caches { cache.addUses(to: &bytes) }
    var wanted = byteCount - limit / 8 * 7
    for time in bytes.keys.sorted() {
      let found = bytes[time] ?? 0
      if found < wanted {
        wanted -= found
        continue
      }
      for cache in caches { cache.evict(before: time, atTime: &wanted) }
      return
    }
  }
}
