/// The outcome of writing a batch of features.
public struct UpsertResult: Sendable, Equatable {
  /// The number of features that are new.
  public let inserted: Int
  /// The number of features that replaced another one, of the collection or earlier in the batch.
  public let updated: Int
  /// The collection after the write.
  public let info: CollectionInfo
  /// Whether the write created the collection.
  public let createdCollection: Bool
}
