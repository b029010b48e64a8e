import ClusterCore

/// What a transaction is to change. It is kept in memory, and sent when the transaction is committed.
struct PostgresDraft {
  /// A change of rows of a collection.
  enum Operation {
    /// Features that all have an id.
    case upsert(key: Int64, FeatureBatch)
    case delete(key: Int64, [FeatureID])

    var key: Int64 {
      switch self {
      case .upsert(let key, _), .delete(let key, _): key
      }
    }

    /// The number of features.
    var count: Int {
      switch self {
      case .upsert(_, let batch): batch.count
      case .delete(_, let ids): ids.count
      }
    }
  }

  /// The collections that are changed, by id, as they are to be.
  var infos: [String: CollectionInfo] = [:]
  /// The collections that are dropped, as they were, with the version of that.
  var dropped: [CollectionInfo] = []
  var operations: [Operation] = []
  /// The keys of collections that it has created.
  var created: [Int64] = []
  /// The keys of those that it has created in a part that was undone.
  var abandoned: [Int64] = []
  /// By which the end of the transaction is recognized.
  let token = Int64.random(in: .min ... .max)

  /// Whether it changes nothing.
  var isEmpty: Bool { infos.isEmpty && dropped.isEmpty }
}
