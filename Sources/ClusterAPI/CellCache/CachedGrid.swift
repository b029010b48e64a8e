import ClusterCore
import Synchronization
import Threading

/// The encoded cells of one grid for requests with the same options; see ``CellCache``.
final class CachedGrid: Evictable {
  private struct State {
    /// The latest version of the collection whose changes the pages take into account.
    var version: Int64
    var pages: [CellPage.Position: CellPage] = [:]
    /// The sentences about the properties that the options name, as of ``version``; nil if they aren't known.
    var notes: [String]?
    /// The number of coordinates that were changed since the last request.
    var idleTouches = 0
  }

  private let grid: CellGrid
  private let memory: MemoryBudget
  private let state: Locked<State>
  private let used: Atomic<Int>

  /// The number of coordinates that may change without a request before the grid is evicted. They cost
  /// about a millisecond, as much as clustering a few viewports anew.
  private static let maximumIdleTouches = 16_384

  /// The most sentences that are kept, as their memory isn't counted. Mostly there are none.
  private static let mostNotes = 4

  /// Creates a grid without cells for a collection that is at a version.
  init(_ grid: CellGrid, at version: Int64, _ memory: MemoryBudget) {
    (self.grid, self.memory) = (grid, memory)
    state = Locked(State(version: version))
    used = Atomic(memory.time)
    memory.register(self)
  }

  deinit { memory.remove(self) }

  /// The time of the last request.
  var lastUse: Int { used.load(ordering: .relaxed) }

  /// The pages of an area for a reader of a version; nil if one of them holds a later version.
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

  /// The sentences of ``PropertyNotes`` for a reader of a version; nil if they aren't kept.
  func notes(at version: Int64) -> [String]? {
    state.withLock { $0.version <= version ? $0.notes : nil }
  }

  /// Keeps the sentences that a reader of a version has found, until a feature is invalidated.
  func keep(_ notes: [String], at version: Int64) {
    guard notes.count <= CachedGrid.mostNotes else { return }
    state.withLock { if $0.version <= version { $0.notes = notes } }
  }

  /// Evicts the cells that hold some points, which were changed in a version that isn't shown yet.
  ///
  /// - Returns: false if the grid is no longer used. Readers of that version must not get it then.
  func invalidate(_ points: [MapPoint], at version: Int64) -> Bool {
    // Pages whose last owner this is are freed after the lock is released.
    var replaced: [CellPage] = []
    return state.withLock { state in
      state.idleTouches += points.count
      guard state.idleTouches <= CachedGrid.maximumIdleTouches, version > state.version else {
        return false
      }
      state.version = version
      state.notes = nil
      for point in points {
        let (column, row) = (grid.cell(of: point.x), grid.cell(of: point.y))
        let position = CellPage.Position(column: column, row: row)
        guard let index = state.pages.index(forKey: position) else { continue }
        var page = state.pages.values[index]
        if page.version != version {
          // Readers may have the page. They can't get the copy before the lock is released.
          replaced.append(page)
          page = CellPage(copying: page, from: version)
          state.pages.values[index] = page
        }
        page.clear(column: column, row: row)
      }
      return true
    }
  }

  /// Evicts all cells, or about half of them.
  func evict(half: Bool) {
    var evicted: [CellPage.Position: CellPage] = [:]
    state.withLock { state in
      swap(&evicted, &state.pages)
      guard half else { return }
      // Dictionaries have no order, so this is any half.
      for (number, page) in evicted.enumerated() where number % 2 == 0 {
        state.pages[page.key] = page.value
      }
    }
  }
}
