@testable import ClusterAPI

extension Service {
  /// The memory of encoded cells.
  var cells: CacheBudget { caches.cells.budget }

  /// The memory of encoded tiles.
  var tiles: CacheBudget { caches.tiles.budget }

  private var caches: AnswerCache { catalog.answers ?? AnswerCache() }
}
