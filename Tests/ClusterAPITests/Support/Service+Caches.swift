@testable import ClusterAPI

extension Service {
  /// The memory of encoded cells.
  var cells: CellCacheBudget { caches.cells.budget }

  /// The memory of encoded tiles.
  var tiles: TileCacheBudget { caches.tiles.memory }

  private var caches: AnswerCache { catalog.answers ?? AnswerCache() }
}
