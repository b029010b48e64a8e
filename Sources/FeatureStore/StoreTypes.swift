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

/// What to do with a title or description.
public typealias TextUpdate = ValueUpdate<String>

/// What to do with something that a collection may have.
public enum ValueUpdate<Value: Sendable & Equatable>: Sendable, Equatable {
  /// Leave it as it is.
  case keep
  /// Remove it.
  case clear
  /// Replace it.
  case set(Value)

  /// The value after the update.
  func applied(to value: Value?) -> Value? {
    switch self {
    case .keep: value
    case .clear: nil
    case .set(let new): new
    }
  }
}

/// What a batch of features did to a collection.
public struct UpsertResult: Sendable, Equatable {
  /// How many features are new.
  public let inserted: Int
  /// How many replaced another, of the collection or earlier in the batch.
  public let updated: Int
  /// The collection after the write.
  public let info: CollectionInfo
  /// Whether the write made the collection.
  public let createdCollection: Bool
}
