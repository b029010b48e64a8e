import ClusterCore

/// The changes that a transaction is to make. It is kept in memory, and sent when the transaction is
/// committed.
struct PostgresDraft {
  /// A change of rows of a collection.
  enum Operation {
    /// Features that all have an id.
    case upsert(key: Int64, FeatureBatch)
    case delete(key: Int64, [FeatureID])
    /// Features whose rows somebody else has changed.
    case note(key: Int64, [FeatureID])

    var key: Int64 {
      switch self {
      case .upsert(let key, _), .delete(let key, _), .note(let key, _): key
      }
    }

    /// The number of features.
    var count: Int {
      switch self {
      case .upsert(_, let batch): batch.count
      case .delete(_, let ids), .note(_, let ids): ids.count
      }
    }
  }

  /// By which it is found out whether it was committed.
  let token = Int64.random(in: .min ... .max)
  /// The states that its collections are taken to have; nil if they are locked.
  var assumed: [CollectionInfo]?
  /// The collections that are changed, by id, as they are to be.
  var infos: [String: CollectionInfo] = [:]  // Characters: ids of collections, which are of ASCII
  /// The collections that are dropped, as they were, with the version of that.
  var dropped: [CollectionInfo] = []
  var operations: [Operation] = []
  /// The collections that it has created in the database, by id, also in parts that were undone: their keys and first
  /// versions.
  // Characters: ids of collections, which are of ASCII
  var created: [String: (key: Int64, version: Int64)] = [:]

  /// The keys of collections that it has created in parts that were undone.
  var abandoned: [Int64] {
    created.values.map(\.key).filter { key in
      !infos.values.contains { $0.key == key } && !dropped.contains { $0.key == key }
    }
  }

  /// Why nothing more can come of it, as one of its queries has failed; nil if none has.
  var failure: StoreError?

  /// Whether it changes nothing.
  var isEmpty: Bool { infos.isEmpty && dropped.isEmpty }

  /// A transaction on collections that are taken to have these states; nil if they are locked.
  init(assumed: [CollectionInfo]? = nil) { self.assumed = assumed }
}
