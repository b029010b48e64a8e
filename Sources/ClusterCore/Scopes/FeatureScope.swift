import Threading

/// The features that a request concerns: all or some features of a collection, with an index of
/// only those, so that code that uses the scope needn't know about others.
public struct FeatureScope: Sendable {
  /// The collection.
  public let collection: IndexedCollection
  private let own: PointIndex?
  private let members: Members

  fileprivate enum Members: Sendable {
    /// All features. Ordinals are those of the collection.
    case all
    /// The features with these ordinals in the collection, in ascending order.
    case ordinals(FixedArray<UInt32>)
    case blocks(BlockSelection)
    /// Those that pass a filter, which aren't selected before they are needed.
    case unselected(UnselectedFeatures)
  }

  /// The index of the scope's features.
  var points: PointIndex {
    if let own { return own }
    guard case .unselected(let features) = members else {
      preconditionFailure("a scope without points is unselected")
    }
    return features.selected.points
  }

  /// Where the scope's features are in the collection if they aren't selected yet.
  var unselected: FilterRegion? {
    if case .unselected(let features) = members { features.region } else { nil }
  }

  /// The index of all features of the collection.
  public var index: FeatureIndex { collection.index }

  /// The name of a scope that can be cached.
  let name: ScopeName?

  /// Creates the scope of all features of a collection.
  public init(_ collection: IndexedCollection) {
    self.collection = collection
    own = collection.index.points
    members = .all
    name = ScopeName()
  }

  /// Creates the scope of n features from their ascending ordinals. O(n).
  init(_ collection: IndexedCollection, ordinals: FixedArray<UInt32>) {
    self.collection = collection
    members = .ordinals(ordinals)
    name = nil
    own = PointIndex(selecting: ordinals, of: collection.index.points)
  }

  /// Creates the scope of some features whose positions and references were already copied. O(n)
  init(_ collection: IndexedCollection, _ selected: SelectedPoints) {
    precondition(selected.count == selected.ordinals.count, "a selected feature is missing")
    self.collection = collection
    members = .ordinals(selected.ordinals.fixed)
    name = nil
    own = PointIndex(
      positions: selected.positions.fixed, references: selected.references.fixed,
      records: collection.index.records)
  }

  init(_ collection: IndexedCollection, _ selected: BlockSelection, name: ScopeName?) {
    self.collection = collection
    members = .blocks(selected)
    own = selected.points
    self.name = name
  }

  /// Creates the scope of the features in a region, which `select` selects when they are needed one by one.
  init(
    _ collection: IndexedCollection, _ region: FilterRegion,
    _ select: @escaping @Sendable () -> FeatureScope
  ) {
    self.collection = collection
    members = .unselected(UnselectedFeatures(region, select))
    own = nil
    name = nil
  }

  /// A scope without its collection.
  struct Selection: Sendable {
    fileprivate let points: PointIndex
    fileprivate let members: Members
    fileprivate let name: ScopeName?

    /// The memory that it takes without the collection's, in bytes.
    var byteCount: Int {
      switch members {
      case .all: 0
      case .ordinals(let ordinals): points.byteCount + ordinals.byteCount
      case .blocks(let selected): selected.byteCount
      case .unselected: preconditionFailure("what is remembered is selected")
      }
    }

    var blocks: BlockSelection? {
      if case .blocks(let selected) = members { selected } else { nil }
    }
  }

  var selection: Selection {
    if case .unselected(let features) = members { return features.selected.selection }
    return Selection(points: points, members: members, name: name)
  }

  /// Creates the scope of a selection of the same collection.
  init(_ collection: IndexedCollection, _ selection: Selection) {
    self.collection = collection
    (own, members, name) = (selection.points, selection.members, selection.name)
  }

  var isWhole: Bool { if case .all = members { true } else { false } }

  /// The number of features.
  public var count: Int { points.count }

  @inline(__always)
  func collectionOrdinal(_ ordinal: Int) -> Int {
    switch members {
    case .all: ordinal
    case .ordinals(let ordinals): Int(ordinals.pointer[ordinal])
    case .blocks(let selected): selected.collectionOrdinal(ordinal)
    case .unselected(let features): features.selected.collectionOrdinal(ordinal)
    }
  }

  /// Returns the ordinal in the scope for an ordinal in the collection, or nil if the feature isn't
  /// in the scope. O(log n).
  func scopeOrdinal(_ ordinal: Int) -> Int? {
    switch members {
    case .all: ordinal
    case .blocks(let selected): selected.ownOrdinal(ordinal)
    case .unselected(let features): features.selected.scopeOrdinal(ordinal)
    case .ordinals(let ordinals): ordinals.buffer.sortedIndex(of: UInt32(ordinal))
    }
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
    switch members {
    case .all: for offset in 0..<index.blocks[number].count { body(UInt16(offset)) }
    case .ordinals: preconditionFailure("the scope isn't selected by block")
    case .unselected(let features): features.selected.forEachOffset(ofBlock: number, body)
    case .blocks(let selected):
      guard let offsets = selected.block(number)?.offsets else { return }
      for index in 0..<offsets.count { body(offsets.pointer[index]) }
    }
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
  /// Returns the scope of those features that are in a region and pass a test.
  ///
  /// - Parameter passing: takes a run of ordinals in the collection and calls its second argument
  ///   with those that pass, in ascending order.
  func selecting(
    in region: AnyRegion, passing: (Range<Int>, (Int) -> Void) -> Void
  ) -> FeatureScope {
    var selected = GrowingArray<UInt32>(capacity: 64)
    points.forEachRun(in: region) { run in
      forEachCollectionRun(run) { run in
        passing(run) { selected.append(UInt32($0)) }
        return true
      }
    }
    return FeatureScope(collection, ordinals: selected.fixed)
  }

  func selecting(in region: AnyRegion) -> FeatureScope {
    selecting(in: region) { run, pass in run.forEach(pass) }
  }
}

/// The features of a region of a collection, which are selected when they are needed one by one.
final class UnselectedFeatures: Sendable {
  /// Where they are.
  let region: FilterRegion
  private let select: @Sendable () -> FeatureScope
  private let made = Locked<FeatureScope?>(nil)

  init(_ region: FilterRegion, _ select: @escaping @Sendable () -> FeatureScope) {
    (self.region, self.select) = (region, select)
  }

  /// The scope of them, selected by the first call while others wait.
  var selected: FeatureScope {
    made.withLongLock { made in
      let scope = made ?? select()
      made = scope
      return scope
    }
  }
}
