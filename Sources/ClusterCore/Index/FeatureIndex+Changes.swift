/// A change to a collection that was made durable and is now to be seen.
public enum FeatureChange {
  /// Features stored by id; of two with the same id the later one counts.
  case upsert(FeatureBatch)
  /// Features that are no more.
  case remove([FeatureID])
}

/// An index with changes applied.
public struct ChangedIndex {
  /// The index after the changes.
  public let index: FeatureIndex
  /// Where the changed features were before and are now, in no order and with repetitions.
  public let touched: [Coordinate]
}

extension FeatureIndex {
  /// A new index with changes applied, in order; this one stays as it is.
  /// O(n + k log n) for k features, in one pass over the index or two.
  public func applying(_ changes: [FeatureChange]) throws(RecordArena.Full) -> ChangedIndex {
    var touched: [Coordinate] = []
    if changes.count == 1 {
      return ChangedIndex(index: try applying(changes[0], &touched), touched: touched)
    }
    // Of each feature only the last change is to be seen.
    var last: [FeatureID: (change: Int, record: Int)] = [:]
    var removed: Set<FeatureID> = []
    for (number, change) in changes.enumerated() {
      switch change {
      case .upsert(let batch):
        for index in 0..<batch.count {
          let id = batch.withRecord(at: index) { $0.id }
          last[id] = (number, index)
          removed.remove(id)
        }
      case .remove(let ids):
        for id in ids {
          last[id] = nil
          removed.insert(id)
        }
      }
    }
    var stored = FeatureBatch()
    for (number, change) in changes.enumerated() {
      guard case .upsert(let batch) = change else { continue }
      for index in 0..<batch.count {
        batch.withRecord(at: index) { record in
          if let place = last[record.id], place == (number, index) { stored.append(record) }
        }
      }
    }
    var index = removing(Array(removed), &touched)
    if !stored.isEmpty { index = try index.upserting(stored, &touched) }
    return ChangedIndex(index: index, touched: touched)
  }

  /// As above, of one change.
  public func applying(_ change: FeatureChange) throws(RecordArena.Full) -> FeatureIndex {
    try applying([change]).index
  }

  private func applying(
    _ change: FeatureChange, _ touched: inout [Coordinate]
  ) throws(RecordArena.Full) -> FeatureIndex {
    switch change {
    case .upsert(let batch): try upserting(batch, &touched)
    case .remove(let ids): removing(ids, &touched)
    }
  }

  private func upserting(
    _ batch: FeatureBatch, _ touched: inout [Coordinate]
  ) throws(RecordArena.Full) -> FeatureIndex {
    guard count + batch.count <= FeatureIndex.maximumCount else { throw RecordArena.Full() }
    var records = self.records
    let added = try Self.sortedEntries(batch, appendingTo: &records)
    var entries = GrowingArray<Entry>(capacity: count + added.count)
    var rank = 0
    for entry in added {
      let id = records[entry.reference].rawID
      let next = rank < count && lastIDPrecedes(id) ? count : rankNotBefore(id)
      copyEntries(rank..<max(rank, next), to: &entries)
      rank = max(rank, next)
      touched.append(entry.coordinate)
      if rank < count {
        let old = references.pointer[Int(byID.pointer[rank])]
        if FeatureRecord.compare(records[old].rawID, id) == 0 {
          touched.append(records[old].coordinate)
          records.release(old)
          rank += 1
        }
      }
      entries.append(entry)
    }
    copyEntries(rank..<count, to: &entries)
    return compacted(records, entries)
  }

  private func removing(_ ids: [FeatureID], _ touched: inout [Coordinate]) -> FeatureIndex {
    var records = self.records
    var ranks: Set<Int> = []
    for id in ids {
      let rank = withRawID(id) { rankNotBefore($0) }
      guard rank < count else { continue }
      let place = Int(byID.pointer[rank])
      guard record(at: place).id == id, ranks.insert(rank).inserted else { continue }
      touched.append(coordinate(at: place))
      records.release(references.pointer[place])
    }
    guard !ranks.isEmpty else { return self }
    var entries = GrowingArray<Entry>(capacity: count)
    var next = 0
    for rank in ranks.sorted() {
      copyEntries(next..<rank, to: &entries)
      next = rank + 1
    }
    copyEntries(next..<count, to: &entries)
    return compacted(records, entries)
  }

  /// Ids mostly grow: whether everything here comes before an id.
  private func lastIDPrecedes(_ id: FeatureRecord.RawID) -> Bool {
    count > 0
      && FeatureRecord.compare(record(at: Int(byID.pointer[count - 1])).rawID, id) < 0
  }

  private func copyEntries(_ ranks: Range<Int>, to entries: inout GrowingArray<Entry>) {
    for rank in ranks {
      let place = Int(byID.pointer[rank])
      entries.append(
        Entry(
          coordinate: coordinate(at: place), position: position(at: place),
          reference: references.pointer[place], origin: UInt32(place)))
    }
  }

  /// The features of a batch as entries sorted by id, the later of equal ids.
  private static func sortedEntries(
    _ batch: FeatureBatch, appendingTo records: inout RecordArena
  ) throws(RecordArena.Full) -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(batch.count)
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      let coordinate = records[reference].coordinate
      entries.append(
        Entry(
          coordinate: coordinate, position: Position(coordinate), reference: reference))
    }
    let sorted = isSorted(entries, records) ? entries : sortedByID(entries, records)
    return withoutDuplicates(sorted, &records)
  }

  private static func isSorted(_ entries: [Entry], _ records: RecordArena) -> Bool {
    for index in entries.indices.dropFirst() {
      let (a, b) = (records[entries[index - 1].reference], records[entries[index].reference])
      if FeatureRecord.compareIDs(a, b) > 0 { return false }
    }
    return true
  }

  /// References grow in the order of the batch (but for the chunk of a large record, whose entries
  /// are numbered in order as well), so they break ties between equal ids.
  private static func sortedByID(_ entries: [Entry], _ records: RecordArena) -> [Entry] {
    entries.sorted { a, b in
      let order = FeatureRecord.compareIDs(records[a.reference], records[b.reference])
      return order != 0 ? order < 0 : a.reference.raw < b.reference.raw
    }
  }

  private static func withoutDuplicates(
    _ entries: [Entry], _ records: inout RecordArena
  ) -> [Entry] {
    var unique: [Entry] = []
    unique.reserveCapacity(entries.count)
    for entry in entries {
      if let last = unique.last,
        FeatureRecord.compareIDs(records[last.reference], records[entry.reference]) == 0
      {
        records.release(last.reference)
        unique[unique.count - 1] = entry
      } else {
        unique.append(entry)
      }
    }
    return unique
  }

  /// Builds the changed index, first moving the living records together when too many are dead.
  private func compacted(
    _ records: RecordArena, _ entries: GrowingArray<Entry>
  ) -> FeatureIndex {
    guard records.isWorthCompacting else {
      return FeatureIndex(records: records, entriesByID: entries, changed: self)
    }
    var fresh = RecordArena()
    for rank in 0..<entries.count {
      // Living records fitted before, so they fit now.
      guard let reference = try? fresh.append(records[entries.pointer[rank].reference]) else {
        preconditionFailure("fewer records than before don't fit")
      }
      entries.pointer[rank].reference = reference
    }
    return FeatureIndex(records: fresh, entriesByID: entries, changed: self)
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

/// Collects batches that arrive in id order, such as a store's at start-up, and builds one index.
public struct FeatureIndexBuilder {
  private var records = RecordArena()
  private var entries: GrowingArray<FeatureIndex.Entry>

  /// A builder of an empty index, with room for as many features as are expected.
  public init(expecting count: Int = 0) { entries = GrowingArray(capacity: count) }

  /// Takes over the features of a batch. Their ids must follow those of earlier batches.
  public mutating func append(_ batch: FeatureBatch) throws(RecordArena.Full) {
    guard entries.count + batch.count <= FeatureIndex.maximumCount else {
      throw RecordArena.Full()
    }
    for index in 0..<batch.count {
      let reference = try batch.append(recordAt: index, to: &records)
      let coordinate = records[reference].coordinate
      entries.append(
        FeatureIndex.Entry(
          coordinate: coordinate, position: Position(coordinate), reference: reference))
    }
  }

  /// The index of everything so far.
  public func build() -> FeatureIndex { FeatureIndex(records: records, entriesByID: entries) }
}
