/// What the store knows about a collection without reading its features.
public struct CollectionInfo: Sendable, Equatable {
  /// Its key in the database; never used again after the collection is dropped.
  public let key: Int64
  /// Its id, as in the URL.
  public let id: String
  /// Its title, if it has one.
  public internal(set) var title: String?
  /// Its description, if it has one.
  public internal(set) var description: String?
  /// The database's counter at the last change of it: grows with every one, also over drop and
  /// re-creation.
  public internal(set) var version: Int64
  /// The largest integer id that it ever held, deleted or not; 0 if none above 0.
  public internal(set) var largestInteger: Int64
  /// How many features it holds on disk, expired ones that are still there included.
  public internal(set) var featureCount: Int
  /// The milliseconds after which a feature expires that doesn't say when; nil: never.
  public internal(set) var ttl: Int64?
  /// Whether all its rows have a checksum.
  let hasChecksums: Bool

  /// The same collection, changed without a write.
  public func changed(to version: Int64) -> CollectionInfo {
    var info = self
    info.version = version
    return info
  }
}
