import ClusterCore
import Texts
import Threading

/// The parsed queries of tiles. All tiles of a map have the same query, which is read once.
final class TileTemplates: Sendable {
  private struct Key: Hashable {
    let query: ExactText?
    let type: MediaType
  }

  private struct State {
    /// Any tile of each query.
    var tiles: [Key: TileRequest] = [:]
    var byteCount = 0
  }

  private let state = Locked(State())

  /// The most bytes that are kept, and those of one query.
  private static let (mostBytes, mostBytesOfOne) = (1 << 20, 64 << 10)

  /// The request for a tile with a query.
  func request(
    for tile: Tile, _ type: MediaType, query: String?
  ) throws -> TileRequest {
    let key = Key(query: query.map { ExactText($0) }, type: type)
    if let known = state.withLock({ $0.tiles[key] }) { return try known.moved(to: tile) }
    let request = try TileRequest(tile, type, query: query)
    // A parsed filter takes a few times the memory of its text.
    let bytes = 2048 + 8 * request.viewport.cellByteCount + (query?.utf8.count ?? 0)
    guard bytes <= TileTemplates.mostBytesOfOne else { return request }
    state.withLock { state in
      if state.byteCount + bytes > TileTemplates.mostBytes { state = State() }
      if state.tiles.updateValue(request, forKey: key) == nil { state.byteCount += bytes }
    }
    return request
  }

  /// About the memory that is taken, in bytes.
  var byteCount: Int { state.withLock { $0.byteCount } }
}
