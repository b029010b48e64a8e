import ClusterCore
import Collections
import HTTPServer
import Threading

/// A vector tile of a snapshot, which may be in the cache.
final class RememberedTile: Sendable {
  private let request: TileRequest
  private let snapshot: CollectionSnapshot
  /// Nil if nothing is kept.
  private let answers: AnswerCache?
  private let found: TileCache.Found

  /// - Parameter request: one whose span of time is a part of its filter; see ``TileRequest/resolved(by:)``.
  init(_ request: TileRequest, _ snapshot: CollectionSnapshot) {
    let answers = snapshot.answers
    let key = answers == nil ? nil : TileKey(request.tile, request.viewport)
    (self.request, self.snapshot, self.answers) = (request, snapshot, answers)
    found = key.flatMap { answers?.tiles.find($0, at: snapshot.info.version) } ?? .unknown
  }

  /// The tile, if it is in the cache.
  func known() -> CachedTile.Content? {
    guard case .content(let content) = found else { return nil }
    answers?.tiles.budget.count(cached: 1)
    return content
  }

  /// The tile, from the cache or encoded now.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are too many annotations in it.
  func content() throws -> CachedTile.Content {
    if let known = known() { return known }
    let content = CachedTile.Content(try TileWriter.tile(request, of: snapshot))
    // A cancelled result isn't kept.
    if case .missing(let place) = found, !Cancellation.isOver {
      answers?.tiles.fill(place, with: content)
    }
    answers?.tiles.budget.count(made: 1)
    return content
  }
}
