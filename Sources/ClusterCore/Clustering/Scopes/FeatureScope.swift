/// The features that a request concerns: all or some features of a collection. Some are either selected, with an index of
/// only those, so that code that uses the scope needn't know about others; or, where sums will do, a region of all
/// features, whose bits are added up. A ``FilterPlan`` says which.
public struct FeatureScope: Sendable {
  /// The collection.
  public let collection: IndexedCollection
  /// The selected features; nil if none are selected.
  let selection: FeatureSelection?
  /// The features of the collection that pass; nil for all of them, or if they are selected.
  let region: FilterRegion?
  /// The name of a scope that can be cached.
  let name: ScopeName?

  /// The index of the scope's features.
  var points: PointIndex {
    precondition(region == nil, "features that are added up aren't selected")
    return selection?.points ?? collection.index.points
  }

  /// The index of all features of the collection.
  public var index: FeatureIndex { collection.index }

  /// Creates the scope of all features of a collection.
  public init(_ collection: IndexedCollection) {
    self.collection = collection
    (selection, region, name) = (nil, nil, ScopeName())
  }

  /// Creates the scope of some features.
  init(_ collection: IndexedCollection, _ selection: FeatureSelection, name: ScopeName? = nil) {
    self.collection = collection
    (self.selection, region, self.name) = (selection, nil, name)
  }

  /// Creates the scope of n features from their ascending ordinals. O(n).
  init(_ collection: IndexedCollection, ordinals: FixedArray<UInt32>) {
    self.init(collection, FeatureSelection(ordinals, of: collection.index.points))
  }

  /// Creates the scope of a few features from their ascending ordinals.
  init(_ collection: IndexedCollection, ordinals: [Int]) {
    var own = GrowingArray<UInt32>(capacity: ordinals.count)
    for ordinal in ordinals { own.append(UInt32(ordinal)) }
    self.init(collection, ordinals: own.fixed)
  }

  /// Creates the scope of features that are only added up.
  init(_ collection: IndexedCollection, addingUp region: FilterRegion) {
    self.collection = collection
    (selection, self.region, name) = (nil, region, nil)
  }

  var isWhole: Bool { selection == nil && region == nil }

  /// The number of features.
  public var count: Int { points.count }

  @inline(__always)
  func collectionOrdinal(_ ordinal: Int) -> Int {
    selection?.collectionOrdinal(ordinal) ?? ordinal
  }

  /// Returns the ordinal in the scope for an ordinal in the collection, or nil if the feature isn't
  /// in the scope. O(log n).
  func scopeOrdinal(_ ordinal: Int) -> Int? {
    guard let selection else { return ordinal }
    return selection.ownOrdinal(ordinal)
  }

  /// Returns the ordinal in the scope of a feature, or nil if it isn't in the scope.
  ///
  /// - Complexity: O(log n).
  public func ordinal(of id: FeatureID) -> Int? { index.ordinal(of: id).flatMap(scopeOrdinal) }

  /// Returns the ordinals in the scope of some features. Ignores features that aren't in it.
  func ordinals(of ids: [FeatureID]) -> OrdinalSet {
    OrdinalSet(ids.compactMap { ordinal(of: $0) })
  }

  /// Calls `body` with the offsets of the scope's features in a block of the collection, in
  /// ascending order. The scope must be the whole collection or a selection by block.
  func forEachOffset(ofBlock number: Int, _ body: (UInt16) -> Void) {
    guard let selection else {
      for offset in 0..<index.blocks[number].count { body(UInt16(offset)) }
      return
    }
    precondition(selection.isByBlock, "the scope isn't selected by block")
    selection.block(number)?.offsets.buffer.forEach(body)
  }

  /// Calls `body` with the runs in the collection for a run in the scope until it returns false.
  /// Returns false if `body` did.
  @inline(__always)
  func forEachCollectionRun(_ run: Range<Int>, _ body: (Range<Int>) -> Bool) -> Bool {
    if isWhole { return body(run) }
    var start = run.lowerBound
    while start < run.upperBound {
      let first = collectionOrdinal(start)
      var stop = start + 1
      while stop < run.upperBound, collectionOrdinal(stop) == first + stop - start,
        !PointIndex.beginsBlock(first + stop - start)
      {
        stop += 1
      }
      guard body(first..<first + stop - start) else { return false }
      start = stop
    }
    return true
  }
}

extension FeatureScope {
  /// Returns the scope of those features that are in a region and pass a test, by their ordinals in the collection.
  func selecting(
    in region: some IndexRegion, where passes: (Int) -> Bool = { _ in true }
  ) -> FeatureScope {
    FeatureScope(collection, ordinals: ordinals(in: region, where: passes))
  }

  /// Returns the ordinals in the collection of these features, in ascending order.
  func ordinals(
    in region: some IndexRegion, where passes: (Int) -> Bool = { _ in true }
  ) -> FixedArray<UInt32> {
    var selected = GrowingArray<UInt32>(capacity: 64)
    points.forEachRun(in: region) { run in
      forEachCollectionRun(run) { run in
        for ordinal in run where passes(ordinal) { selected.append(UInt32(ordinal)) }
        return true
      }
    }
    return selected.fixed
  }
}
