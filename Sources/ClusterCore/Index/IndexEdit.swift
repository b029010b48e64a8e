/// Collects changes by id, then makes the changed index.
struct IndexEdit {
  private let old: FeatureIndex
  private var records: RecordArena
  /// A changed feature: its new record, or nil if it is removed.
  private struct Change {
    /// A record with its id, for comparisons.
    var name: RecordReference
    var reference: RecordReference?
    /// The position in the order of arrival.
    var number: Int
  }
  private var changes: [Change] = []

  /// Whether the records are another index's, so that they are never copied to save memory.
  private let isSharing: Bool

  init(_ index: FeatureIndex) {
    (old, records, isSharing) = (index, index.records, false)
  }

  /// An edit of an index of some features of another one.
  ///
  /// - Parameter records: those of the other index now, which begin with those that `index` knows.
  init(_ index: FeatureIndex, sharing records: RecordArena) {
    (old, self.records, isSharing) = (index, records, true)
  }

  /// Notes a change of the feature that has a record: its new record, or nil if it is removed.
  mutating func append(_ name: RecordReference, _ reference: RecordReference?) {
    changes.append(Change(name: name, reference: reference, number: changes.count))
  }

  mutating func put(_ batch: FeatureBatch) throws(RecordArena.Full) {
    guard LargeMemory.isAvailable((changes.count + batch.count) * 24) else {
      throw RecordArena.Full()
    }
    changes.reserveCapacity(changes.count + batch.count)
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      append(reference, reference)
    }
  }

  mutating func remove(_ ids: [FeatureID]) {
    // Features added by an earlier one of these changes. Other ids have records in the old index.
    var added: [FeatureID: RecordReference]?
    for id in ids {
      var name = id.withRawID { old.directory.find($0, old.records).reference }
      if name == nil {
        if added == nil { added = ownRecords }
        name = added?[id]
      }
      guard let name else { continue }
      append(name, nil)
    }
  }

  private var ownRecords: [FeatureID: RecordReference] {
    var result: [FeatureID: RecordReference] = [:]
    for change in changes where change.reference != nil {
      result[records[change.name].id] = change.name
    }
    return result
  }

  /// Sorts the changes by id and keeps only the last one of each id.
  private mutating func removeSuperseded() {
    let records = self.records
    func compare(_ a: Change, _ b: Change) -> Int {
      FeatureRecord.compareIDs(records[a.name], records[b.name])
    }
    changes.sort { a, b in
      let order = compare(a, b)
      return order != 0 ? order < 0 : a.number < b.number
    }
    var latest: [Change] = []
    latest.reserveCapacity(changes.count)
    for change in changes {
      if let last = latest.last, compare(last, change) == 0 {
        if let reference = last.reference { self.records.release(reference) }
        latest[latest.count - 1] = change
      } else {
        latest.append(change)
      }
    }
    changes = latest
  }

  /// Returns the changed index. The edit must not be used afterwards.
  ///
  /// - Throws: ``RecordArena/Full`` if there is no memory to sort the changes, or to rebuild the index.
  mutating func make() throws(RecordArena.Full) -> ChangedIndex {
    // That of the arrays below, for each change.
    guard LargeMemory.isAvailable(changes.count * 200) else { throw RecordArena.Full() }
    removeSuperseded()
    var invalidated: [Coordinate] = []
    invalidated.reserveCapacity(changes.count * 2)
    var edits: [IDDirectory.Edit] = []
    edits.reserveCapacity(changes.count)
    var removed: [Int] = []
    var added: [FeatureEntry] = []
    let areFew = changes.count <= old.count / 8 + 64
    var textIDs = old.count == 0 ? 0 : old.knownTextIDs.withLock { $0 }
    for change in changes {
      let (index, found) = old.directory.find(records[change.name].rawID, old.records)
      if let found {
        invalidated.append(records[found].coordinate)
        if areFew { removed.append(old.ordinal(of: found)) }
        if records[found].isIDText { textIDs? -= 1 }
        records.release(found)
      } else if change.reference == nil {
        continue
      }
      if let reference = change.reference {
        invalidated.append(records[reference].coordinate)
        added.append(FeatureEntry(reference, records[reference]))
        if records[reference].isIDText { textIDs? += 1 }
      }
      edits.append(
        IDDirectory.Edit(index: index, isThere: found != nil, reference: change.reference))
    }
    if edits.isEmpty { return ChangedIndex(index: old, edit: nil, invalidated: []) }
    let directory = old.directory.applying(edits)
    let mayCompact = !isSharing && records.isWorthCompacting
    if !areFew || mayCompact {
      // The approximate memory of the index and of the arrays in which it is sorted.
      let size = (old.count + changes.count) * 100
      let index = try LargeMemory.withReserve(size) { () throws(RecordArena.Full) in
        try rebuilt(directory, isCompacted: mayCompact)
      }
      guard let index else { throw RecordArena.Full() }
      index.knownTextIDs.withLock { $0 = textIDs }
      return ChangedIndex(index: index, edit: nil, invalidated: invalidated)
    }
    let edit = BlockEdit(old: old, records: records).applying(
      removed: removed.sorted(), added: added)
    let index = FeatureIndex(
      old, after: edit, records, directory, blockCapacity: old.blockCapacity)
    index.knownTextIDs.withLock { $0 = textIDs }
    return ChangedIndex(index: index, edit: edit, invalidated: invalidated)
  }

  /// Returns the index of a directory's records, copied to a new arena if `isCompacted`.
  private func rebuilt(
    _ directory: IDDirectory, isCompacted: Bool
  ) throws(RecordArena.Full) -> FeatureIndex {
    var fresh = RecordArena()
    var entries = GrowingArray<FeatureEntry>(capacity: directory.blocks.reduce(0) { $0 + $1.count })
    try directory.forEach { (reference) throws(RecordArena.Full) in
      let record = records[reference]
      let own = isCompacted ? try fresh.append(record) : reference
      entries.append(FeatureEntry(own, record))
      return true
    }
    return FeatureIndex(
      records: isCompacted ? fresh : records, entriesByID: entries,
      blockCapacity: old.blockCapacity)
  }
}
