import ClusterCore
import Threading

/// The encoded cells of a collection, from which answers to viewports are put together.
///
/// Grids are anchored in the world and zooms are rounded, so all viewports of one grid with the same options
/// (``CellKey``) encode a cell to the same bytes until a feature in it changes.
///
/// The snapshots of a collection share one cache. They follow each other in one line: each is made from the
/// one before by a change whose coordinates are known. Before a snapshot is shown, the cells of those
/// coordinates are evicted (``invalidate(_:at:)``). Readers of any version may use the cache, and slow ones too,
/// and no reader gets a cell of another version than its own:
///
/// - A page says from which version on it holds (``CellPage/version``). When a cell in it is invalidated, the
///   page is replaced by a copy without that cell, which holds from the touching version on. Readers who have
///   the old page keep it. A new page holds from the grid's last touch on.
/// - A reader gets only the current page of a position, and only if it holds at the reader's version v. All
///   versions that are shown, v included, have passed through ``invalidate(_:at:)``. So no version between the
///   page's and the latest has invalidated any of its cells; otherwise the page would have been replaced.
///   Hence the page's cells are right for v.
/// - For the same reason, a cell that the reader encodes from v's features is right for all who have the page,
///   now or later, and for copies of it, in which invalidated cells are evicted. Two readers who encode the
///   same cell make the same bytes, so it doesn't matter who is first.
///
/// A write is made from the snapshot that was shown when it began. Features that expired meanwhile are in it
/// again, but they are left out once more before a reader gets it, as clocks don't go back (``WallClock``).
final class CellCache: Sendable {
  private struct State {
    var version = Int64.min
    var grids: [CellKey: CachedGrid] = [:]
    /// The hashes of keys that were asked for once, each at an index that follows from the hash.
    var askedOnce: [Int] = []

    /// Whether a key has been asked for before, as far as the hashes tell.
    mutating func isSecond(_ hash: Int) -> Bool {
      if askedOnce.isEmpty {
        askedOnce = Array(repeating: 0, count: CellCache.askedOnceCount)
      }
      let index = Int(UInt(bitPattern: hash) % UInt(CellCache.askedOnceCount))
      defer { askedOnce[index] = hash }
      return askedOnce[index] == hash
    }
  }

  private let state = Locked(State())
  /// The memory that all cells share.
  let budget: CacheBudget

  /// The usual limit of the memory of all cells, in bytes.
  static let usualLimit = 64 << 20
  /// The most grids of a collection.
  private static let maximumGrids = 256
  /// The most coordinates whose cells are evicted one by one.
  private static let maximumInvalidated = 4096
  private static let askedOnceCount = 1024

  /// A cache without cells.
  init(_ budget: CacheBudget) { self.budget = budget }

  /// The grid with a key; nil at the first request with the key, as many requests are never repeated.
  func grid(_ key: CellKey) -> CachedGrid? {
    state.withLock { state in
      if let grid = state.grids[key] { return grid }
      guard state.isSecond(key.hash) else { return nil }
      if state.grids.count >= CellCache.maximumGrids,
        let oldest = state.grids.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.grids[oldest.key] = nil
      }
      let grid = CachedGrid(key.grid, at: state.version, budget.memory)
      state.grids[key] = grid
      return grid
    }
  }

  /// Evicts the cells that a version invalidates, before the version is shown.
  ///
  /// - Parameter invalidated: the coordinates where features were before or are now; nil if they aren't known.
  func invalidate(_ invalidated: [Coordinate]?, at version: Int64) {
    let coordinates = invalidated.flatMap { $0.count <= CellCache.maximumInvalidated ? $0 : nil }
    let grids = state.withLock { state in
      state.version = version
      // Readers who have a grid that is evicted here read an earlier version.
      defer { if coordinates == nil { state.grids = [:] } }
      return state.grids
    }
    guard let coordinates, !coordinates.isEmpty, !grids.isEmpty else { return }
    let points = coordinates.map(WebMercator.project)
    let idle = grids.filter { !$0.value.invalidate(points, at: version) }
    guard !idle.isEmpty else { return }
    state.withLock { state in
      for (key, grid) in idle where state.grids[key] === grid { state.grids[key] = nil }
    }
  }
}
