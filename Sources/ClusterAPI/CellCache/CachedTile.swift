import HTTPServer

/// A tile in a ``TileCache``, or the place of one that is being encoded.
///
/// `@unchecked Sendable`: its variables are read and written by its cache alone, under the cache's lock.
final class CachedTile: @unchecked Sendable {
  /// The cached content of a tile; an empty tile has no body.
  struct Content {
    let body: KeptBody?

    init(_ bytes: [UInt8]) { body = bytes.isEmpty ? nil : KeptBody(bytes) }
  }

  let key: TileKey
  /// The version from which on the tile has been as it is.
  let version: Int64
  /// Nil until it is known.
  var content: Content?
  /// The time of the last use, in ``TileCacheBudget/time``.
  var lastUse: Int
  /// Whether the cache has it no longer.
  var isEvicted = false

  init(_ key: TileKey, from version: Int64, at time: Int) {
    (self.key, self.version, lastUse) = (key, version, time)
  }

  /// About its memory, in bytes.
  var byteCount: Int { key.byteCount + (content?.body?.maximumByteCount ?? 0) }
}
