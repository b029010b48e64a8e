import ClusterCore
import HTTPServer
import Threading

/// A vector tile of a snapshot, which may be in the cache.
final class RememberedTile: Sendable {
  private let request: TileRequest
  private let snapshot: CollectionSnapshot
  private let memory: TileCacheBudget
  private let found: TileCache.Found

  /// - Parameter request: one whose span of time is a part of its filter; see ``TileRequest/resolved(by:)``.
  init(_ request: TileRequest, _ snapshot: CollectionSnapshot, _ memory: TileCacheBudget) {
    (self.request, self.snapshot, self.memory) = (request, snapshot, memory)
    let key = TileKey(request.tile, request.viewport)
    found =
      key.map { snapshot.tileCache.find($0, at: snapshot.info.version, memory) } ?? .unknown
  }

  /// The tile, if it is in the cache.
  func known() -> CachedTile.Content? {
    guard case .content(let content) = found else { return nil }
    memory.countCached()
    return content
  }

  /// The tile, from the cache or encoded now.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are too many annotations in it.
  func content() throws -> CachedTile.Content {
    if let known = known() { return known }
    let bytes =
      try PlainTileWriter.tile(request, of: snapshot) ?? TileWriter.tile(request, of: snapshot)
    let content = CachedTile.Content(bytes)
    memory.countEncoded()
    // A cancelled result isn't kept.
    if case .missing(let place) = found, !Interruption.isOver {
      snapshot.tileCache.fill(place, with: content)
    }
    return content
  }
}
