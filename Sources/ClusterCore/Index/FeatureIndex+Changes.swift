/// A change to a collection that was made durable and is now to be seen.
public enum FeatureChange {
  /// Features stored by id; of two with the same id the later one counts.
  case upsert(FeatureBatch)
  /// Features that are no more.
  case remove([FeatureID])
}

/// A changed index, and where features were before or are after that the changes touched.
public struct ChangedIndex {
  /// The index.
  public let index: FeatureIndex
  /// In no order; some may be there several times.
  public let touched: [Coordinate]
}

extension FeatureIndex {
  /// A new index with changes applied, in order; this one stays as it is.
  ///
  /// Few changes copy the blocks that they are in: O(blocks + k) for k features. Many build the index
  /// anew: O(n + k log k).
  public func applying(_ changes: [FeatureChange]) throws(RecordArena.Full) -> ChangedIndex {
    let size = changes.reduce(0) { $0 + $1.count }
    guard count + size <= FeatureIndex.maximumCount else { throw RecordArena.Full() }
    var edit = IndexEdit(self)
    for change in changes {
      switch change {
      case .upsert(let batch): try edit.put(batch)
      case .remove(let ids): edit.remove(ids)
      }
    }
    return edit.make()
  }

  /// As above, of one change.
  public func applying(_ change: FeatureChange) throws(RecordArena.Full) -> FeatureIndex {
    try applying([change]).index
  }
}

extension FeatureChange {
  fileprivate var count: Int {
    switch self {
    case .upsert(let batch): batch.count
    case .remove(let ids): ids.count
    }
  }
}

extension FeatureBatch {
  /// Copies a record into an arena.
  fileprivate func append(
    recordAt index: Int, to records: inout RecordArena
  ) throws(RecordArena.Full) -> RecordReference {
    let result = withRecord(at: index) { record -> RecordReference? in
      try? records.append(record)
    }
    guard let result else { throw RecordArena.Full() }
    return result
  }
}

/// Gathers changes by id, then makes the changed index.
struct IndexEdit {
  private let old: FeatureIndex
  private var records: RecordArena
  /// A feature that changes: its record from now on, nil if it goes.
  private struct Change {
    /// A record with its id, to compare by.
    var name: RecordReference
    var reference: RecordReference?
    /// In the order in which they came.
    var number: Int
  }
  private var changes: [Change] = []

  init(_ index: FeatureIndex) {
    old = index
    records = index.records
  }

  mutating func put(_ batch: FeatureBatch) throws(RecordArena.Full) {
    changes.reserveCapacity(changes.count + batch.count)
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      changes.append(Change(name: reference, reference: reference, number: changes.count))
    }
  }

  mutating func remove(_ ids: [FeatureID]) {
    // Features that came with an earlier change of these; ids that were there before have records.
    var added: [FeatureID: RecordReference]?
    for id in ids {
      var name = old.withRawID(id) { old.directory.reference(of: $0, old.records) }
      if name == nil {
        if added == nil { added = ownRecords }
        name = added?[id]
      }
      guard let name else { continue }
      changes.append(Change(name: name, reference: nil, number: changes.count))
    }
  }

  private var ownRecords: [FeatureID: RecordReference] {
    var result: [FeatureID: RecordReference] = [:]
    for change in changes where change.reference != nil {
      result[records[change.name].id] = change.name
    }
    return result
  }

  /// Sorts the changes by id and leaves only the last of each.
  private mutating func settle() {
    let records = self.records
    func compare(_ a: Change, _ b: Change) -> Int {
      FeatureRecord.compareIDs(records[a.name], records[b.name])
    }
    let isSorted = changes.indices.dropFirst().allSatisfy {
      compare(changes[$0 - 1], changes[$0]) <= 0
    }
    if !isSorted {
      changes.sort { a, b in
        let order = compare(a, b)
        return order != 0 ? order < 0 : a.number < b.number
      }
    }
    var settled: [Change] = []
    settled.reserveCapacity(changes.count)
    for change in changes {
      if let last = settled.last, compare(last, change) == 0 {
        if let reference = last.reference { self.records.release(reference) }
        settled[settled.count - 1] = change
      } else {
        settled.append(change)
      }
    }
    changes = settled
  }

  /// The changed index; nothing is to come after it.
  mutating func make() -> ChangedIndex {
    settle()
    var touched: [Coordinate] = []
    touched.reserveCapacity(changes.count * 2)
    var edits: [IDDirectory.Edit] = []
    edits.reserveCapacity(changes.count)
    var removed: [Int] = []
    var added: [FeatureEntry] = []
    let areFew = changes.count <= old.count / 8 + 64
    for change in changes {
      let id = records[change.name].rawID
      var spot = old.directory.spot(notBefore: id, old.records)
      var found = old.directory.reference(at: spot)
      if let reference = found, FeatureRecord.compare(records[reference].rawID, id) != 0 {
        found = nil
      }
      if found != nil, spot.offset == old.directory.blocks[spot.block].count {
        spot = IDDirectory.Spot(block: spot.block + 1, offset: 0)
      }
      if let found {
        touched.append(records[found].coordinate)
        if areFew { removed.append(old.place(of: found)) }
        records.release(found)
      } else if change.reference == nil {
        continue
      }
      if let reference = change.reference {
        let entry = FeatureEntry(reference, records[reference])
        touched.append(records[reference].coordinate)
        added.append(entry)
      }
      edits.append(
        IDDirectory.Edit(spot: spot, isThere: found != nil, reference: change.reference))
    }
    if edits.isEmpty { return ChangedIndex(index: old, touched: []) }
    let directory = old.directory.applying(edits)
    let mayCompact = records.isWorthCompacting
    if !areFew || mayCompact {
      return ChangedIndex(index: rebuilt(directory, isCompacted: mayCompact), touched: touched)
    }
    let edit = BlockEdit(old, records).applying(removed: removed.sorted(), added: added)
    let index = FeatureIndex(old, after: edit, records: records, directory: directory)
    return ChangedIndex(index: index, touched: touched)
  }

  /// The index built anew of the records in a directory, moved together if need be.
  private func rebuilt(_ directory: IDDirectory, isCompacted: Bool) -> FeatureIndex {
    var kept = records
    var fresh = RecordArena()
    var entries = GrowingArray<FeatureEntry>(capacity: directory.blocks.reduce(0) { $0 + $1.count })
    directory.forEach { reference in
      let record = records[reference]
      var own = reference
      if isCompacted {
        // Living records fitted before, so they fit now.
        guard let moved = try? fresh.append(record) else {
          preconditionFailure("fewer records than before don't fit")
        }
        own = moved
      }
      entries.append(FeatureEntry(own, record))
      return true
    }
    if isCompacted { kept = fresh }
    return FeatureIndex(
      records: kept, entriesByID: entries, blockCapacity: old.blockCapacity)
  }
}

/// Collects batches that arrive in id order, such as a store's at start-up, and builds one index.
public struct FeatureIndexBuilder {
  private var records = RecordArena()
  private var entries: GrowingArray<FeatureEntry>
  private let blockCapacity: Int

  /// A builder of an empty index, with room for as many features as are expected.
  public init(expecting count: Int = 0) {
    self.init(expecting: count, blockCapacity: PointIndex.maximumBlockCount)
  }

  /// As above, with at most some features a block, 4…``PointIndex/maximumBlockCount``.
  init(expecting count: Int, blockCapacity: Int) {
    entries = GrowingArray(capacity: count)
    self.blockCapacity = blockCapacity
  }

  /// Takes over the features of a batch. Their ids must follow those of earlier batches.
  public mutating func append(_ batch: FeatureBatch) throws(RecordArena.Full) {
    guard entries.count + batch.count <= FeatureIndex.maximumCount else {
      throw RecordArena.Full()
    }
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      entries.append(FeatureEntry(reference, records[reference]))
    }
  }

  /// The index of everything so far.
  public func build() -> FeatureIndex {
    FeatureIndex(records: records, entriesByID: entries, blockCapacity: blockCapacity)
  }
}
