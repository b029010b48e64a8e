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
