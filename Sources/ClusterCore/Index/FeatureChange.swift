/// A change to a collection that was made durable and is now to be seen.
public enum FeatureChange {
  /// Features stored by id; of two with the same id the later one counts.
  case upsert(FeatureBatch)
  /// Features that are no more.
  case remove([FeatureID])
}

extension FeatureChange {
  var count: Int {
    switch self {
    case .upsert(let batch): batch.count
    case .remove(let ids): ids.count
    }
  }
}
