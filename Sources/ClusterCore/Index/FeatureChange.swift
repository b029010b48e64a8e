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
