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
    // Features added by an earlier one of these changes. Other ids have records in the old index.
    var added: [FeatureID: RecordReference]?
    for id in ids {
      var name = id.withRawID { old.directory.reference(of: $0, old.records) }
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

  /// Sorts the changes by id and keeps only the last one of each id.
  private mutating func removeSuperseded() {
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
  /// - Throws: ``RecordArena/Full`` if there is no memory to rebuild the index.
  mutating func make() throws(RecordArena.Full) -> ChangedIndex {
    removeSuperseded()
    var touched: [Coordinate] = []
    touched.reserveCapacity(changes.count * 2)
    var edits: [IDDirectory.Edit] = []
    edits.reserveCapacity(changes.count)
    var removed: [Int] = []
    var added: [FeatureEntry] = []
    let areFew = changes.count <= old.count / 8 + 64
    for change in changes {
      let id = records[change.name].rawID
      var index = old.directory.index(notBefore: id, old.records)
      var found = old.directory.reference(at: index)
      if let reference = found, FeatureRecord.compare(records[reference].rawID, id) != 0 {
        found = nil
      }
      if found != nil, index.offset == old.directory.blocks[index.block].count {
        index = IDDirectory.Index(block: index.block + 1, offset: 0)
      }
      if let found {
        touched.append(records[found].coordinate)
        if areFew { removed.append(old.ordinal(of: found)) }
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
        IDDirectory.Edit(index: index, isThere: found != nil, reference: change.reference))
    }
    if edits.isEmpty { return ChangedIndex(index: old, edit: nil, touched: []) }
    let directory = old.directory.applying(edits)
    let mayCompact = records.isWorthCompacting
    if !areFew || mayCompact {
      // About what the index and the arrays that it is sorted in take, and its records once more.
      let size = (old.count + changes.count) * 100 + (mayCompact ? records.liveBytes : 0)
      guard LargeMemory.isAvailable(byteCount: size) else { throw RecordArena.Full() }
      return ChangedIndex(
        index: rebuilt(directory, isCompacted: mayCompact), edit: nil, touched: touched)
    }
    let edit = BlockEdit(old, records).applying(removed: removed.sorted(), added: added)
    let index = FeatureIndex(old, after: edit, records: records, directory: directory)
    return ChangedIndex(index: index, edit: edit, touched: touched)
  }

  /// Returns an index rebuilt from the records of a directory, which are copied to a new arena if
  /// `isCompacted`.
  private func rebuilt(_ directory: IDDirectory, isCompacted: Bool) -> FeatureIndex {
    var kept = records
    var fresh = RecordArena()
    var entries = GrowingArray<FeatureEntry>(capacity: directory.blocks.reduce(0) { $0 + $1.count })
    directory.forEach { reference in
      let record = records[reference]
      var own = reference
      if isCompacted {
        // The live records fitted before, so they fit now.
        guard let moved = try? fresh.append(record) else {
          preconditionFailure("the live records don't fit a new arena")
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
