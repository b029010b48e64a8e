/// A durable change of a collection that is to become visible.
public enum FeatureChange {
  /// Features to be stored by id. Of several with the same id the last one counts.
  case upsert(FeatureBatch)
  /// The ids of removed features.
  case remove([FeatureID])

  /// The number of features that are stored, or of ids.
  public var count: Int {
    switch self {
    case .upsert(let batch): batch.count
    case .remove(let ids): ids.count
    }
  }
}

/// A changed index with the coordinates of the changes.
public struct ChangedIndex {
  /// The index.
  public let index: FeatureIndex
  /// How its blocks derive from the old ones; nil if the index is unchanged or was rebuilt.
  let edit: EditedBlocks?
  /// The coordinates of changed features before and after the changes, in no particular order. They
  /// may contain duplicates.
  public let invalidated: [Coordinate]
}
