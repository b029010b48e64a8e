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

    /// Sets the tiles of a place, and returns those before.
    @discardableResult
    mutating func set(_ tiles: [CachedTile], at place: TileKey.Place) -> [CachedTile] {
      let before = places[place] ?? []
      if tiles.isEmpty, before.isEmpty { return [] }
      places[place] = tiles.isEmpty ? nil : tiles
      let count = (levels[place.level] ?? 0) + tiles.count - before.count
      levels[place.level] = count > 0 ? count : nil
      return before
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
  let budget: CacheBudget

  /// A cache without tiles.
  init(_ budget: CacheBudget) { self.budget = budget }

  /// The usual limit of the memory of all tiles, in bytes.
  static let usualLimit = 32 << 20
  /// The most tiles of one place, which differ in their requests.
  private static let mostOfPlace = 64
  /// The most tiles that are looked for because of changed coordinates: about five milliseconds.
  private static let mostSteps = 100_000

  /// Looks for a tile for a reader of a version.
  func find(_ key: TileKey, at version: Int64) -> Found {
    let (found, isNew) = state.withLock { state -> (Found, Bool) in
      state.idleSteps = 0
      var tiles = state.places[key.place] ?? []
      if let tile = tiles.first(where: { $0.key.isSame(as: key) }) {
        guard tile.version <= version else { return (.unknown, false) }
        tile.use()
        return (tile.content.map(Found.content) ?? .missing(tile), false)
      }
      guard version == state.version else { return (.unknown, false) }
      if tiles.count >= TileCache.mostOfPlace,
        let oldest = tiles.indices.min(by: { tiles[$0].lastUse < tiles[$1].lastUse })
      {
        tiles.remove(at: oldest)
      }
      let tile = CachedTile(key, from: version, in: self)
      state.set(tiles + [tile], at: key.place)
      return (.missing(tile), true)
    }
    if isNew { budget.memory.makeRoom() }
    return found
  }

  /// Keeps the content encoded for a place. If that isn't there any more, nobody finds it.
  func fill(_ tile: CachedTile, with content: CachedTile.Content) {
    state.withLock { _ in
      guard tile.content == nil, content.byteCount <= budget.memory.limit / 8 else { return }
      tile.fill(with: content)
    }
  }

  /// Evicts the tiles that a version invalidates, before the version is shown.
  ///
  /// - Parameter invalidated: the coordinates where features were before or are now; nil if they aren't known.
  func invalidate(_ invalidated: [Coordinate]?, at version: Int64) {
    let isEmpty = state.withLock { state in
      state.version = version
      return state.places.isEmpty
    }
    // No reader of an earlier version makes a place any more.
    guard !isEmpty else { return }
    let points = invalidated.flatMap { invalidated in
      invalidated.count <= TileCache.mostSteps ? invalidated.map(WebMercator.project) : nil
    }
    // The tiles are freed after the lock is released.
    _ = state.withLock { state -> [[CachedTile]] in
      state.idleSteps += (points?.count ?? TileCache.mostSteps) * state.levels.count
      guard let points, state.idleSteps <= TileCache.mostSteps else {
        defer { (state.places, state.levels, state.idleSteps) = ([:], [:], 0) }
        return Array(state.places.values)
      }
      var removed: [[CachedTile]] = []
      for level in Array(state.levels.keys) {
        level.forEachPlace(of: points) { removed.append(state.set([], at: $0)) }
      }
      return removed
    }
  }

  /// Removes a tile, if it is there, and frees its memory.
  func remove(_ tile: CachedTile) {
    state.withLock { state in
      let place = tile.key.place
      state.set((state.places[place] ?? []).filter { $0 !== tile }, at: place)
      tile.free()
    }
  }
}
