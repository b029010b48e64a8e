import ClusterCore

/// Something that others have done to a store.
public enum StoreChange {
  /// A collection is at another version, to which changes lead.
  case changed(CollectionInfo, [FeatureChange])
  /// A collection is new, or too much has changed since: it is to be loaded.
  case unknown(CollectionInfo)
  /// A collection isn't there any more.
  case dropped(id: String)
}
