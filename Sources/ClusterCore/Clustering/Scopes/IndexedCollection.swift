/// One version of a collection: its index, and the property columns and scopes that requests have
/// built. The next version takes over those that are still useful.
public final class IndexedCollection: Sendable {
  /// The features.
  public let index: FeatureIndex
  let columns: VersionCache<CachedColumn.Key, CachedColumn>
  let scopes: VersionCache<ScopeName, ScopeParts>
  /// The bits of filters whose features were not selected.
  let masks: VersionCache<FilterExpression, FilterMasks>

  /// Creates the first version of a collection, or one that shares nothing with an earlier version.
  public convenience init(_ index: FeatureIndex = FeatureIndex()) {
    self.init(index, in: IndexedCollection.budget)
  }

  /// Creates such a version whose columns and scopes are in a budget.
  init(_ index: FeatureIndex, in budget: MemoryBudget) {
    self.index = index
    columns = VersionCache(
      capacity: IndexedCollection.columnCapacity(index), in: budget,
      maximumCount: IndexedCollection.maximumColumns
    ) { $1.cost($0) }
    scopes = VersionCache(
      capacity: IndexedCollection.scopeCapacity(index), in: budget,
      maximumCount: IndexedCollection.maximumFilters
    ) { $1.cost($0) }
    masks = VersionCache(
      capacity: IndexedCollection.maskCapacity(index), in: budget,
      maximumCount: IndexedCollection.maximumFilters
    ) {
      $0.byteCount + FilterMasks.byteCount(blocks: $1.serials.count)
    }
  }

  private init(_ index: FeatureIndex, after edit: EditedBlocks, of earlier: IndexedCollection) {
    self.index = index
    columns = earlier.columns.next(capacity: IndexedCollection.columnCapacity(index)) { columns in
      CachedColumn.carried(columns, after: edit, to: index)
    }
    scopes = earlier.scopes.next(capacity: IndexedCollection.scopeCapacity(index)) { scopes in
      scopes.map { $0.value.areByBlock ? .stale($0.value) : nil }
    }
    masks = earlier.masks.next(capacity: IndexedCollection.maskCapacity(index)) { masks in
      masks.map { .stale($0.value) }
    }
  }

  /// The memory of what requests have built, in bytes: of columns, and of the bits of filters.
  public var cachedByteCounts: (columns: Int, scopes: Int) {
    (columns.byteCount, scopes.byteCount + masks.byteCount)
  }

  /// The memory of the columns and scopes of all collections, beyond what each has for its features.
  private static let budget = MemoryBudget(limit: 256 << 20)
  private static let maximumColumns = 256
  /// The number of filters of which something is kept: a write goes through all.
  private static let maximumFilters = 2048
  // Columns and scopes of few features are made again in no time, so that many small collections keep little.
  private static func columnCapacity(_ index: FeatureIndex) -> CacheCapacity {
    CacheCapacity(
      common: min(64 << 20, 1 << 20 + 4096 * index.count), forFeatures: 48 * index.count)
  }
  private static func scopeCapacity(_ index: FeatureIndex) -> CacheCapacity {
    CacheCapacity(
      common: min(24 << 20, 1 << 20 + 1024 * index.count), forFeatures: 32 * index.count)
  }
  private static func maskCapacity(_ index: FeatureIndex) -> CacheCapacity {
    CacheCapacity(common: min(8 << 20, 1 << 18 + 256 * index.count), forFeatures: 8 * index.count)
  }

  /// Returns a new version with changes applied in order, and the coordinates of changed features
  /// before and after the changes. See ``FeatureIndex/applying(_:)``.
  ///
  /// - Throws: ``RecordArena/Full`` if there is no memory for the records.
  public func applying(
    _ changes: [FeatureChange]
  ) throws(RecordArena.Full) -> (collection: IndexedCollection, invalidated: [Coordinate]) {
    let changed = try index.applying(changes)
    return (after(changed), changed.invalidated)
  }

  /// Returns the version with a changed index.
  func after(_ changed: ChangedIndex) -> IndexedCollection {
    if changed.index === index { return self }
    guard let edit = changed.edit else { return IndexedCollection(changed.index) }
    return IndexedCollection(changed.index, after: edit, of: self)
  }
}
