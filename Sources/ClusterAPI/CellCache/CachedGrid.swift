import ClusterCore
import Threading
import Synchronization

/// The printed cells of one grid that are asked for in one way; see ``CellCache``.
final class CachedGrid: Sendable {
  private struct State {
    /// The version of the collection up to which the pages follow it.
    var version: Int64
    var pages: [PagePosition: CellPage] = [:]
    /// The coordinates that were touched since somebody asked.
    var idleTouches = 0
  }

  private let grid: CellGrid
  private let memory: CellCacheBudget
  private let state: Locked<State>
  private let used: Atomic<Int>

  /// The coordinates that may be touched before a grid is forgotten that nobody asks for: about a
  /// millisecond's work, the price of clustering a few views anew.
  private static let maximumIdleTouches = 16_384

  /// A grid without cells, of a collection that is at some version.
  init(_ grid: CellGrid, at version: Int64, _ memory: CellCacheBudget) {
    (self.grid, self.memory) = (grid, memory)
    state = Locked(State(version: version))
    used = Atomic(memory.time)
  }

  /// When it was last asked for, in ``CellCacheBudget/time``.
  var lastUse: Int { used.load(ordering: .relaxed) }

  /// The pages of an area, for a reader of some version of the collection; nil if they have gone on to a
  /// later one.
  func pages(of area: CellArea, at version: Int64) -> [CellPage]? {
    let time = memory.time
    if lastUse != time { used.store(time, ordering: .relaxed) }
    return state.withLock { state in
      state.idleTouches = 0
      var pages: [CellPage] = []
      pages.reserveCapacity(area.pageCount)
      let isComplete = area.forEachPage { position in
        let page: CellPage
        if let known = state.pages[position] {
          page = known
        } else {
          page = CellPage(from: state.version, memory)
          state.pages[position] = page
        }
        pages.append(page)
        return page.version <= version
      }
      return isComplete ? pages : nil
    }
  }

  /// Forgets the cells of some points, which changed in a version that nobody sees yet.
  ///
  /// - Returns: whether the grid is of use to anybody; if not, readers of that version must not get it.
  func touch(_ points: [MapPoint], at version: Int64) -> Bool {
    // What nobody has any more is freed after the lock is given back.
    var replaced: [CellPage] = []
    return state.withLock { state in
      state.idleTouches += points.count
      guard state.idleTouches <= CachedGrid.maximumIdleTouches, version > state.version else {
        return false
      }
      state.version = version
      for point in points {
        let (column, row) = (grid.cell(of: point.x), grid.cell(of: point.y))
        let position = PagePosition(column: column, row: row)
        guard let place = state.pages.index(forKey: position) else { continue }
        var page = state.pages.values[place]
        if page.version != version {
          // Readers may have it. The copy is nobody's before the lock is given back.
          replaced.append(page)
          page = CellPage(copying: page, from: version)
          state.pages.values[place] = page
        }
        page.clear(column: column, row: row)
      }
      return true
    }
  }

  /// Forgets all cells, or about half of them.
  func forget(half: Bool) {
    var forgotten: [PagePosition: CellPage] = [:]
    state.withLock { state in
      swap(&forgotten, &state.pages)
      guard half else { return }
      // They are in no order.
      for (number, page) in forgotten.enumerated() where number % 2 == 0 {
        state.pages[page.key] = page.value
      }
    }
  }
}
