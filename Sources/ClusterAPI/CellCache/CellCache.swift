import ClusterCore
import Threading

/// The cells of a collection as they were printed for views, to be copied into the answers to others.
///
/// Grids are anchored in the world and zooms are rounded, so that every view of one grid with the same
/// options (``CellKey``) prints a cell alike until a feature in it changes.
///
/// One of these goes with a collection from version to version, for its snapshots follow each other in one
/// line: each is made from the one before by a change that says where features were or are. Before anybody
/// sees a snapshot, the cells of those coordinates are forgotten (``touch(_:at:)``). A reader
/// of any version may ask and print, also one who is slow, and still nobody gets a cell of another version
/// than their own:
///
/// - A page says from which version on it holds (``CellPage/version``). When a cell in it is touched the
///   page is replaced by a copy without that cell, which holds from the version that touches it; readers who
///   have the old page keep it. A new page holds from the grid's last touch.
/// - A reader gets only the current page of its place, and only if that holds at the reader's version v. All
///   versions that anybody sees have been through ``touch(_:at:)``, v too. So none that came after the
///   page's, up to v and to the latest, has touched any of its cells: if it had, the page would have been
///   replaced. Hence what is in the page is right for v.
/// - For the same reason, what the reader prints of v's features is right for all who have the page, then
///   or later, and for the copies that are made of it but for the cells touched. Two who print
///   the same cell print the same bytes, so it doesn't matter who is first.
///
/// A write is made from the snapshot that was shown when it began. What expired meanwhile is in it again, but
/// is left out once more before anybody sees it, for clocks don't go back (``WallClock``).
final class CellCache: Sendable {
  fileprivate struct State {
    var version = Int64.min
    var grids: [CellKey: CachedGrid] = [:]
    /// The keys that were asked for once, by a part of their hashes.
    var askedOnce: [Int] = []
  }

  private let state = Locked(State())

  /// The most grids of a collection.
  private static let maximumGrids = 256
  /// The most coordinates that are looked at one by one.
  private static let maximumTouched = 4096
  fileprivate static let askedOnceCount = 1024

  /// The cells with a key; nil at the first request, for many are never repeated.
  func grid(_ key: CellKey, _ memory: CellCacheBudget) -> CachedGrid? {
    state.withLock { state in
      if let grid = state.grids[key] { return grid }
      guard state.isSecond(key.hash) else { return nil }
      if state.grids.count >= CellCache.maximumGrids,
        let oldest = state.grids.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.grids[oldest.key] = nil
      }
      let grid = CachedGrid(key.grid, at: state.version, memory)
      memory.register(grid)
      state.grids[key] = grid
      return grid
    }
  }

  /// Forgets what changed in a version, before anybody sees it.
  func touch(_ touched: TouchedCoordinates, at version: Int64) {
    var coordinates: [Coordinate]?
    if case .known(let few) = touched, few.count <= CellCache.maximumTouched {
      coordinates = few
    }
    let grids = state.withLock { state in
      state.version = version
      // Those who have a grid that is forgotten here read of an earlier version.
      defer { if coordinates == nil { state.grids = [:] } }
      return state.grids
    }
    guard let coordinates, !coordinates.isEmpty, !grids.isEmpty else { return }
    let points = coordinates.map(WebMercator.project)
    let idle = grids.filter { !$0.value.touch(points, at: version) }
    guard !idle.isEmpty else { return }
    state.withLock { state in
      for (key, grid) in idle where state.grids[key] === grid { state.grids[key] = nil }
    }
  }
}

extension CellCache.State {
  /// Whether a key has been asked for before, as far as that is known.
  fileprivate mutating func isSecond(_ hash: Int) -> Bool {
    if askedOnce.isEmpty {
      askedOnce = Array(repeating: 0, count: CellCache.askedOnceCount)
    }
    let place = Int(UInt(bitPattern: hash) % UInt(CellCache.askedOnceCount))
    defer { askedOnce[place] = hash }
    return askedOnce[place] == hash
  }
}
