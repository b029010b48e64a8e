/// One version of a collection: its index, and the property columns and scopes that requests have made of
/// it. A changed version takes over what is of use to it.
public final class IndexedCollection: Sendable {
  /// The features.
  public let index: FeatureIndex
  /// Properties by place, as far as they were asked for.
  let columns: ColumnCache
  /// What filters and groupings select, as far as they were asked for.
  let scopes: ScopeCache

  /// The first version of a collection, or one that shares nothing with an earlier one.
  public convenience init(_ index: FeatureIndex = FeatureIndex()) {
    self.init(index, inheriting: nil)
  }

  private init(_ index: FeatureIndex, inheriting earlier: ScopeCache?) {
    self.index = index
    scopes = ScopeCache(capacity: 32 << 20 + index.count * 40, inheriting: earlier)
    columns = ColumnCache(featureCount: index.count)
  }

  /// The collection with changes applied, in order, and where features were before or are after that the
  /// changes touched; see ``FeatureIndex/applying(_:)``. This version stays as it is.
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
