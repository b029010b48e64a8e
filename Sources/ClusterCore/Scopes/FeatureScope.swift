/// The features that a request is about: all of a collection, or some of them, with an index of just
/// those, so that whatever looks at them needn't know that there are others.
public struct FeatureScope: Sendable {
  /// The collection.
  public let collection: IndexedCollection
  /// Where the scope's features are.
  let points: PointIndex
  /// Which of the collection's features they are.
  private let members: Members

  fileprivate enum Members: Sendable {
    /// All of them, whose places are then the collection's.
    case all
    /// By their places in the collection, ascending.
    case ordinals(FixedArray<UInt32>)
    /// Some of each block.
    case blocks(BlockSelection)
  }

  /// The index of all of the collection's features.
  public var index: FeatureIndex { collection.index }

  /// What it is of, if it is remembered.
  let name: ScopeName?

  /// All features of a collection.
  public init(_ collection: IndexedCollection) {
    self.collection = collection
    points = collection.index.points
    members = .all
    name = ScopeName()
  }

  /// Some features of a collection, by their places in ascending order. O(n) for n of them.
  init(_ collection: IndexedCollection, ordinals: FixedArray<UInt32>, name: ScopeName? = nil) {
    self.collection = collection
    members = .ordinals(ordinals)
    self.name = name
    points = PointIndex(selecting: ordinals, of: collection.index.points)
  }

  /// As above, of features that were copied already.
  init(_ collection: IndexedCollection, _ selected: SelectedPoints) {
    precondition(selected.count == selected.ordinals.count, "all of them have come")
    self.collection = collection
    members = .ordinals(selected.ordinals)
    name = nil
    points = PointIndex(
      positions: selected.positions, references: selected.references,
      records: collection.index.records)
  }

  /// Of features that were selected block by block.
  init(_ collection: IndexedCollection, _ selected: BlockSelection, name: ScopeName?) {
    self.collection = collection
    members = .blocks(selected)
    points = selected.points
    self.name = name
  }

  /// What makes a scope of a collection, without the collection.
  struct Selection: Sendable {
    fileprivate let points: PointIndex
    fileprivate let members: Members
    fileprivate let name: ScopeName?

    /// The memory that it takes beside the collection's, in bytes.
    var byteCount: Int {
      switch members {
      case .all: 0
      case .ordinals(let ordinals): points.byteCount + ordinals.byteCount
      case .blocks(let selected): selected.byteCount
      }
    }

    /// What it is by block, if it is.
    var blocks: BlockSelection? {
      if case .blocks(let selected) = members { selected } else { nil }
    }
  }

  /// Its own, to make it again.
  var selection: Selection { Selection(points: points, members: members, name: name) }

  /// The scope that a selection of this collection was of.
  init(_ collection: IndexedCollection, _ selection: Selection) {
    self.collection = collection
    (points, members, name) = (selection.points, selection.members, selection.name)
  }

  /// Whether it is all of the collection.
  var isWhole: Bool { if case .all = members { true } else { false } }

  /// The number of features.
  public var count: Int { points.count }

  /// The place in the collection of a place in the scope.
  @inline(__always)
  func collectionOrdinal(_ ordinal: Int) -> Int {
    switch members {
    case .all: ordinal
    case .ordinals(let ordinals): Int(ordinals.pointer[ordinal])
    case .blocks(let selected): selected.collectionOrdinal(ordinal)
    }
  }

  /// The place in the scope of a place in the collection; nil where the feature isn't part of it.
  /// O(log n).
  func scopeOrdinal(_ ordinal: Int) -> Int? {
    switch members {
    case .all: return ordinal
    case .blocks(let selected): return selected.ownOrdinal(ordinal)
    case .ordinals(let ordinals): return ordinals.buffer.sortedIndex(of: UInt32(ordinal))
    }
  }

  /// The place in the scope of a feature; nil where it isn't part of it. O(log n).
  public func ordinal(of id: FeatureID) -> Int? { index.ordinal(of: id).flatMap(scopeOrdinal) }

  /// The places in the scope of those of some features that are part of it.
  func ordinals(of ids: [FeatureID]) -> OrdinalSet {
    OrdinalSet(ids.compactMap { ordinal(of: $0) })
  }

  /// Calls `body` with the places in a block of the collection of those of its features that are part of
  /// the scope, which is all of the collection or was selected by block; in ascending order.
  func forEachOffset(ofBlock number: Int, _ body: (UInt16) -> Void) {
    switch members {
    case .all: for offset in 0..<index.blocks[number].count { body(UInt16(offset)) }
    case .ordinals: preconditionFailure("it was selected one by one")
    case .blocks(let selected):
      guard let offsets = selected.block(number)?.offsets else { return }
      for index in 0..<offsets.count { body(offsets.pointer[index]) }
    }
  }

  /// Runs of places in the scope as runs of places in the collection, until `body` returns false.
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
  /// Those of the scope's features that lie in a region and pass a test.
  ///
  /// - Parameter passing: is given runs of places in the collection and calls back with those that
  ///   pass, in ascending order.
  func selecting(
    in region: some IndexRegion, name: ScopeName? = nil,
    passing: (Range<Int>, (Int) -> Void) -> Void
  ) -> FeatureScope {
    var selected = GrowingArray<UInt32>(capacity: 64)
    points.forEachRun(in: region) { run in
      forEachCollectionRun(run) { run in
        passing(run) { selected.append(UInt32($0)) }
        return true
      }
    }
    return FeatureScope(collection, ordinals: selected.fixed, name: name)
  }

  /// The scope's features that lie in a region.
  func selecting(in region: some IndexRegion) -> FeatureScope {
    selecting(in: region) { run, pass in run.forEach(pass) }
  }
}
