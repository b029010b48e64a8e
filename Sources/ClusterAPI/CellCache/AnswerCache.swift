import ClusterCore
import Collections

/// Parts of the answers that were made of a collection, kept for others: encoded cells and tiles.
final class AnswerCache: SnapshotCache {
  /// The encoded cells.
  let cells: CellCache
  /// The encoded tiles.
  let tiles: TileCache

  /// An empty cache. All caches made from it by ``another()`` share its memory.
  init(
    cells: CacheBudget = CacheBudget(limit: CellCache.usualLimit),
    tiles: CacheBudget = CacheBudget(limit: TileCache.usualLimit)
  ) {
    (self.cells, self.tiles) = (CellCache(cells), TileCache(tiles))
  }

  func another() -> any SnapshotCache { AnswerCache(cells: cells.budget, tiles: tiles.budget) }

  func invalidate(_ invalidated: [Coordinate]?, at version: Int64) {
    cells.invalidate(invalidated, at: version)
    tiles.invalidate(invalidated, at: version)
  }
}

extension CollectionSnapshot {
  /// The kept parts of its answers; nil if none are kept.
  var answers: AnswerCache? { cache as? AnswerCache }
}

extension Catalog {
  /// A catalogue whose collections keep some of their answers. It is empty, and not ready.
  package static func keepingAnswers() -> Catalog { Catalog(cache: AnswerCache()) }

  /// The memory of all cached answers; nil if there is none.
  var answers: AnswerCache? { cache as? AnswerCache }
}
