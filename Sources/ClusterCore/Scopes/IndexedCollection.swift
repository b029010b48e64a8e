/// One version of a collection: its index, and the property columns and scopes that requests have
/// built. A changed version takes over those that are still useful.
public final class IndexedCollection: Sendable {
  /// The features.
  public let index: FeatureIndex
  /// The columns of properties that were used.
  let columns: ColumnCache
  /// The scopes of filters and groupings that were used.
  let scopes: ScopeCache

  /// Creates the first version of a collection, or one that shares nothing with an earlier version.
  public convenience init(_ index: FeatureIndex = FeatureIndex()) {
    self.init(index, inheriting: nil)
  }

  private init(_ index: FeatureIndex, inheriting earlier: ScopeCache?) {
    self.index = index
    scopes = ScopeCache(capacity: 32 << 20 + index.count * 40, inheriting: earlier)
    columns = ColumnCache(featureCount: index.count)
  }

  /// Returns a new version with changes applied in order, and the coordinates of touched features
  /// before and after the changes. See ``FeatureIndex/applying(_:)``.
  public func applying(
    _ changes: [FeatureChange]
  ) throws(RecordArena.Full) -> (collection: IndexedCollection, touched: [Coordinate]) {
    let changed = try index.applying(changes)
    if changed.index === index { return (self, changed.touched) }
    guard let edit = changed.edit else {
      return (IndexedCollection(changed.index), changed.touched)
    }
    let collection = IndexedCollection(changed.index, inheriting: scopes)
    collection.takeColumns(from: self, edit)
    return (collection, changed.touched)
  }
}
