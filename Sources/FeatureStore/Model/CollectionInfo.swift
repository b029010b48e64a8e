/// A row of `collections`: all about a collection but its features.
public struct CollectionInfo: Sendable, Equatable {
  /// Its key in the database, which no other collection ever gets.
  public let key: Int64
  /// Its id, as in the URL.
  public internal(set) var id: String
  /// Its title, if it has one.
  public internal(set) var title: String?
  /// Its description, if it has one.
  public internal(set) var description: String?
  /// The database's counter at its last change. It grows with every change, also when the collection is
  /// dropped and created again.
  public internal(set) var version: Int64
  /// The largest integer id that it has ever held, deleted or not, but at least 0.
  public internal(set) var largestInteger: Int64
  /// The number of its rows, including those of expired features that are still to be deleted.
  public internal(set) var featureCount: Int
  /// The time to live, in milliseconds, of features that don't say when they expire; nil for ever.
  public internal(set) var ttl: Int64?
  /// The properties with the times of its features; nil if these have none.
  public internal(set) var temporal: TemporalProperties?
  /// Whether all its rows have a checksum.
  let hasChecksums: Bool
  /// In a shared store, the version up to which changes are no longer noted.
  var trimmed: Int64 = 0
  /// In a shared store, the relation that its features are read from, if they aren't the store's own.
  var source: String?
  /// In a shared store, the random number of its last change, which tells changes of one version apart; 0 in any other
  /// store.
  public internal(set) var token: Int64 = 0

  /// In a shared store, the time of its last change in microseconds since 1970 (UTC), which grows with the version on
  /// all instances; 0 in any other store.
  public internal(set) var time: Int64 = 0

  /// Whether its features are those of a table that isn't the store's, and are written there.
  public var isAttached: Bool { source != nil }

  /// Whether the description is the same as in another version, apart from the features.
  public func says(sameAs other: CollectionInfo) -> Bool {
    (title, description, ttl, temporal) == (
      other.title, other.description, other.ttl, other.temporal
    )
  }

  /// Whether another one is the same collection in the same state, which a version alone doesn't say where a database
  /// may be replaced by one that lacks the last changes.
  public func isSameState(as other: CollectionInfo) -> Bool {
    (key, version, token) == (other.key, other.version, other.token)
  }

  /// The same collection at a later version.
  public func changed(to version: Int64) -> CollectionInfo {
    var info = self
    info.version = version
    return info
  }
}

extension CollectionInfo {
  /// The CRC-32 of its row, by which a flipped bit is found.
  var checksum: Int64 {
    var bytes: [UInt8] = []
    for number in [
      key, version, largestInteger, Int64(featureCount), ttl ?? 0, hasChecksums ? 1 : 0,
    ] {
      withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
    // A byte that UTF-8 doesn't have separates the texts, and tells a missing one from an empty one.
    // Rows that were written before there were times, and those without any, have the same checksum.
    let times = temporal.map { [$0.columns.start, $0.columns.end] } ?? []
    for text in [id, title, description] + times {
      bytes.append(text == nil ? 0xFE : 0xFF)
      bytes.append(contentsOf: (text ?? "").utf8)
    }
    return Int64(bytes.withUnsafeBytes { $0.crc32() })
  }
}

/// The properties of a collection that say when its features were or are.
public enum TemporalProperties: Sendable, Equatable {
  /// A property with an instant.
  case instant(String)
  /// Properties with the start and the end.
  case span(start: String, end: String)

  /// The names of the properties.
  public var names: [String] {
    switch self {
    case .instant(let name): [name]
    case .span(let start, let end): [start, end]
    }
  }

  /// Creates it from its columns.
  init?(start: String?, end: String?) {
    guard let start else { return nil }
    self = end.map { .span(start: start, end: $0) } ?? .instant(start)
  }

  /// Its columns.
  var columns: (start: String, end: String?) {
    switch self {
    case .instant(let name): (name, nil)
    case .span(let start, let end): (start, end)
    }
  }
}
