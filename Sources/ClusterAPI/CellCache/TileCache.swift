import ClusterCore
import Threading

/// The encoded tiles of a collection, shared by its snapshots as its ``CellCache`` is.
///
/// No reader gets a tile of another version than its own:
///
/// - Before a version is shown, the tiles that hold its changed coordinates are evicted (``invalidate(_:at:)``). So a
///   tile that is there is as it was at its ``CachedTile/version``, up to the latest version.
/// - A reader of version v gets a tile only from that version on. v is shown, so it isn't later than the latest.
/// - The place of a tile is made before it is encoded, by a reader of the latest version, and evicted like a
///   tile. If it is still there when the tile has been encoded, nothing has invalidated the tile meanwhile.
///   Other readers who find the place read a version from its own on, so they encode the same bytes.
final class TileCache: Sendable {
  private struct State {
    var version = Int64.min
    var places: [TileKey.Place: [CachedTile]] = [:]
    /// The number of tiles on each level.
    var levels: [TileKey.Level: Int] = [:]
    /// The number of tiles that were looked for since the last request because of changed coordinates.
    var idleSteps = 0

    /// Removes a place with all of its tiles.
    mutating func remove(_ place: TileKey.Place, _ removed: inout [CachedTile]) {
      guard let tiles = places.removeValue(forKey: place) else { return }
      for tile in tiles { note(tile, &removed) }
    }

    /// Notes that a tile is removed.
    mutating func note(_ tile: CachedTile, _ removed: inout [CachedTile]) {
      tile.isEvicted = true
      removed.append(tile)
      let left = (levels[tile.key.place.level] ?? 0) - 1
      levels[tile.key.place.level] = left > 0 ? left : nil
    }

    mutating func removeAll() -> [CachedTile] {
      let all = places.values.flatMap(\.self)
      for tile in all { tile.isEvicted = true }
      (places, levels, idleSteps) = ([:], [:], 0)
      return all
    }
  }

  /// The result of a look into the cache.
  enum Found {
    case content(CachedTile.Content)
    /// Nothing, but there is a place for it.
    case missing(CachedTile)
    /// Nothing, and it can't be kept.
    case unknown
  }

  private let state = Locked(State())
  /// The memory that all tiles share.
  let memory: TileCacheBudget

  /// A cache without tiles.
  init(_ memory: TileCacheBudget) { self.memory = memory }

  deinit { memory.remove(state.withLock { $0.removeAll() }) }

  /// The most tiles of one place, which differ in their requests.
  private static let mostOfPlace = 64
  /// The most tiles that are looked for because of changed coordinates: about five milliseconds.
  private static let mostSteps = 100_000

  /// Looks for a tile for a reader of a version.
  func find(_ key: TileKey, at version: Int64) -> Found {
    var evicted: [CachedTile] = []
    let (found, isFirst, added) = state.withLock { state -> (Found, Bool, CachedTile?) in
      state.idleSteps = 0
      if let tile = state.places[key.place]?.first(where: { $0.key.isSame(as: key) }) {
        guard tile.version <= version else { return (.unknown, false, nil) }
        tile.lastUse = memory.time
        return (tile.content.map(Found.content) ?? .missing(tile), false, nil)
      }
      guard version == state.version else { return (.unknown, false, nil) }
      let tile = CachedTile(key, from: version, at: memory.time)
      var tiles = state.places[key.place] ?? []
      if tiles.count >= TileCache.mostOfPlace,
        let oldest = tiles.indices.min(by: { tiles[$0].lastUse < tiles[$1].lastUse })
      {
        state.note(tiles.remove(at: oldest), &evicted)
      }
      let isFirst = state.places.isEmpty
      tiles.append(tile)
      state.places[key.place] = tiles
      state.levels[key.place.level, default: 0] += 1
      return (.missing(tile), isFirst, tile)
    }
    guard let added else { return found }
    memory.remove(evicted)
    if isFirst { memory.register(self) }
    memory.add(added.key.byteCount)
    return found
  }

  /// Keeps the content encoded for a place, if that is still there.
  func fill(_ tile: CachedTile, with content: CachedTile.Content) {
    let size = content.body?.maximumByteCount ?? 0
    let isKept = state.withLock { _ in
      guard !tile.isEvicted, tile.content == nil, size <= memory.maximumTile else { return false }
      tile.content = content
      return true
    }
    if isKept { memory.add(size) }
  }

  /// Evicts the tiles that a version invalidates, before the version is shown.
  ///
  /// - Parameter touched: the coordinates where features were before or are now; nil if they aren't known.
  func invalidate(_ touched: [Coordinate]?, at version: Int64) {
    let isEmpty = state.withLock { state in
      state.version = version
      return state.places.isEmpty
    }
    // No reader of an earlier version makes a place any more.
    guard !isEmpty else { return }
    let points = touched.flatMap { touched in
      touched.count <= TileCache.mostSteps ? touched.map(WebMercator.project) : nil
    }
    let removed = state.withLock { state in
      var removed: [CachedTile] = []
      let steps = (points?.count ?? TileCache.mostSteps) * state.levels.count
      state.idleSteps += steps
      guard let points, state.idleSteps <= TileCache.mostSteps else {
        return state.removeAll()
      }
      for level in Array(state.levels.keys) {
        level.forEachPlace(of: points) { state.remove($0, &removed) }
      }
      return removed
    }
    memory.remove(removed)
  }

  /// Adds the bytes of all tiles to those of the time of their last use.
  func addUses(to bytes: inout [Int: Int]) {
    state.withLock { state in
      for tile in state.places.values.joined() { bytes[tile.lastUse, default: 0] += tile.byteCount }
    }
  }

  /// Evicts the tiles that were used last before a time, and of those of that time as many as take some bytes.
  func evict(before time: Int, atTime bytes: inout Int) {
    let removed = state.withLock { state in
      var removed: [CachedTile] = []
      for (place, tiles) in state.places {
        let kept = tiles.filter { tile in
          if tile.lastUse > time || tile.lastUse == time && bytes <= 0 { return true }
          if tile.lastUse == time { bytes -= tile.byteCount }
          state.note(tile, &removed)
          return false
        }
        if kept.count < tiles.count { state.places[place] = kept.isEmpty ? nil : kept }
      }
      return removed
    }
    memory.remove(removed)
  }
}
