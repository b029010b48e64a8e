import Threading

/// Those features of another collection that pass a filter, with an index of their own over the same records. Code
/// for collections works on this one, and finds no trace of the other features.
///
/// A feature takes the 16 bytes of an index and its share of the nodes. The other collection is kept alive until
/// ``following(_:passing:)``.
public struct FilteredCollection: Sendable {
  /// The features that pass.
  public let collection: IndexedCollection
  /// The index that they are from.
  private let source: FeatureIndex

  /// Binds the filter to a collection.
  public typealias Binding = (IndexedCollection) throws -> FeatureFilter

  /// Looks at all features of a collection, which takes as long as it takes.
  ///
  /// - Throws: what `filter` throws, or ``RecordArena/Full`` if there isn't enough memory.
  /// - Complexity: O(n), and O(k log k) for those that pass.
  public init(of source: IndexedCollection, passing filter: Binding) throws {
    let index = source.index
    var entries = GrowingArray<FeatureEntry>(capacity: 1024)
    try filter(source).forEachPassing(in: AnyRegion(EverywhereRegion())) { ordinal in
      let block = index.blocks[ordinal >> PointIndex.blockBits]
      let offset = ordinal & (PointIndex.maximumBlockCount - 1)
      entries.append(FeatureEntry(offset, of: block, origin: ordinal))
    }
    guard LargeMemory.isAvailable(entries.count * FilteredCollection.bytesToBuild) else {
      throw RecordArena.Full()
    }
    collection = IndexedCollection(FeatureIndex(selected: entries, sharing: index.records))
    self.source = index
  }

  private init(_ collection: IndexedCollection, of source: FeatureIndex) {
    (self.collection, self.source) = (collection, source)
  }

  /// The memory that a feature takes while an index is built, in bytes.
  private static let bytesToBuild = 100

  /// The memory that it takes beside the other collection, in bytes.
  public var byteCount: Int { collection.index.count * 26 }

  /// The way in which ``following(_:passing:)`` comes to a later version.
  ///
  /// - Complexity: O(blocks).
  public func plan(to later: FeatureIndex) -> FilterPlan {
    if later === source { return .remembered }
    return changedBlocks(in: later) == nil ? .selectedFromAll : .followed
  }

  /// Returns what passes of a later version of the same collection, and the coordinates where that differs.
  ///
  /// Only features of changed blocks are looked at, unless many blocks have changed.
  ///
  /// - Throws: the error of `filter`, or ``RecordArena/Full`` if there isn't enough memory.
  /// - Complexity: O(blocks), plus the features of changed blocks; O(n) if there are many.
  public func following(
    _ later: IndexedCollection, passing filter: Binding
  ) throws -> (filtered: FilteredCollection, invalidated: [Coordinate]) {
    let index = later.index
    if index === source { return (self, []) }
    guard let (gone, new) = changes(to: index) else {
      let anew = try FilteredCollection(of: later, passing: filter)
      return (anew, anew.differences(from: self))
    }
    let own = collection.index
    let removed = gone.filter { reference in
      own.directory.find(index.records[reference].rawID, own.records).reference == reference
    }
    let added = try FilteredCollection.passing(new, index.records, filter)
    if removed.isEmpty && added.isEmpty {
      return (FilteredCollection(collection, of: index), [])
    }
    var edit = IndexEdit(own, sharing: index.records)
    edit.remove(removed)
    edit.put(added)
    let changed = try edit.make()
    return (FilteredCollection(collection.after(changed), of: index), changed.invalidated)
  }

  /// The records that a later index hasn't any more, and those that it has beyond. Nil if there are so many that
  /// looking at all features is quicker, or if records have moved.
  private func changes(to later: FeatureIndex) -> (gone: [RecordReference], new: [RecordReference])?
  {
    guard let (before, after) = changedBlocks(in: later) else { return nil }
    func references(_ blocks: [FeatureBlock]) -> [UInt32] {
      blocks.flatMap { $0.references.buffer.map(\.raw) }.sorted()
    }
    let (old, new) = (references(before), references(after))
    return (
      FilteredCollection.difference(old, new).map(RecordReference.init(raw:)),
      FilteredCollection.difference(new, old).map(RecordReference.init(raw:))
    )
  }

  /// The blocks that a later index hasn't any more, and those that it has beyond; nil if they are many.
  private func changedBlocks(
    in later: FeatureIndex
  ) -> (before: [FeatureBlock], after: [FeatureBlock])? {
    guard later.records.isOneGrowing(with: source.records) else { return nil }
    let matches = later.matches(source.serials)
    var isKept = [Bool](repeating: false, count: source.blocks.count)
    for case let number? in matches { isKept[number] = true }
    let before = source.blocks.indices.filter { !isKept[$0] }.map { source.blocks[$0] }
    let after = matches.indices.filter { matches[$0] == nil }.map { later.blocks[$0] }
    let size = (before + after).reduce(0) { $0 + $1.count }
    return FilterPlan.following(size, of: later.count) == .followed ? (before, after) : nil
  }

  /// The elements of one sorted list that aren't in another.
  private static func difference(_ list: [UInt32], _ other: [UInt32]) -> [UInt32] {
    var (rest, result) = (other[...], [UInt32]())
    for value in list {
      while let first = rest.first, first < value { rest.removeFirst() }
      if rest.first != value { result.append(value) }
    }
    return result
  }

  /// Those of some records that pass.
  fileprivate static func passing(
    _ references: [RecordReference], _ records: RecordArena, _ filter: Binding
  ) throws -> [RecordReference] {
    if references.isEmpty { return [] }
    let index = FeatureIndex(of: references, sharing: records)
    var result: [RecordReference] = []
    try filter(IndexedCollection(index)).forEachPassing(in: AnyRegion(EverywhereRegion())) {
      result.append(index.points.reference(at: $0))
    }
    return result
  }

  /// The coordinates of the features that this or an earlier one has and the other hasn't, or not like that. O(n)
  /// in bytes.
  private func differences(from earlier: FilteredCollection) -> [Coordinate] {
    let (a, b) = (earlier.collection.index, collection.index)
    var (old, new) = (a.directory.references.makeIterator(), b.directory.references.makeIterator())
    var (before, after) = (old.next(), new.next())
    var invalidated: [Coordinate] = []
    while before != nil || after != nil {
      let order: Int =
        if let before, let after {
          FeatureRecord.compareIDs(a.records[before], b.records[after])
        } else {
          before == nil ? 1 : -1
        }
      var isSame = false
      if order == 0, let before, let after {
        isSame = a.records[before].equals(b.records[after])
      }
      if order <= 0, let reference = before {
        if !isSame { invalidated.append(a.records[reference].coordinate) }
        before = old.next()
      }
      if order >= 0, let reference = after {
        if !isSame { invalidated.append(b.records[reference].coordinate) }
        after = new.next()
      }
    }
    return invalidated
  }
}

extension IDDirectory {
  /// The references to all records in id order.
  fileprivate var references: some Sequence<RecordReference> {
    blocks.lazy.flatMap { block in (0..<block.count).lazy.map { block.pointer[$0] } }
  }
}

extension FeatureBatch {
  /// Tells which features pass a filter.
  ///
  /// - Throws: what `filter` throws, or ``RecordArena/Full`` if there isn't enough memory.
  /// - Complexity: O(n log n).
  public func passing(_ filter: FilteredCollection.Binding) throws -> [Bool] {
    var records = RecordArena()
    var references: [RecordReference] = []
    for number in 0..<count { references.append(try append(recordAt: number, to: &records)) }
    let passing = try Set(
      FilteredCollection.passing(references, records, filter).map(\.raw))
    return references.map { passing.contains($0.raw) }
  }
}
