/// The changes of an index file's features since it was written.
struct IndexFileChanges {
  /// The number of records in each block but the last of the directory of a file.
  static let directoryBlockCount = IDDirectory.capacity * 3 / 4

  /// The changes of the directory.
  private(set) var edits: [IDDirectory.Edit] = []
  /// The offsets of features that are removed or replaced, ascending.
  private var removed: [Int] = []
  /// New features in index order, each with the offset of the feature that it comes before.
  private var added: [(offset: Int, entry: FeatureEntry)] = []

  /// Finds what changes. O(k log n) for k ids.
  ///
  /// - Parameters:
  ///   - ids: the ids that have changed, ascending.
  ///   - batch: the features with those ids, ascending by id; an id without a feature is removed.
  ///   - features: the features of the file.
  ///   - order: by rank in the order of ids: the offset of the feature in `features`.
  ///   - directory: the directory of the file's features.
  ///   - records: the records of all features, to which those of the batch are appended.
  init(
    _ ids: [FeatureID], to batch: FeatureBatch, of features: SortedFeatures,
    _ order: WritableArray<UInt32>, _ directory: IDDirectory, in records: inout RecordArena
  ) throws(RecordArena.Full) {
    let (positions, references) = (features.positions.pointer, features.references.pointer)
    var entries: [FeatureEntry] = []
    var row = 0
    for id in ids {
      let rank = id.withRawID { id in
        let index = directory.index(notBefore: id, records)
        return index.block * IndexFileChanges.directoryBlockCount + index.offset
      }
      let next = rank < order.count ? Int(order.pointer[rank]) : nil
      let old = next.flatMap { next in
        id.withRawID { FeatureRecord.compare(records[references[next]].rawID, $0) == 0 }
          ? next : nil
      }
      if let old {
        removed.append(old)
        records.release(references[old])
      }
      var reference: RecordReference?
      if row < batch.count, batch.withRecord(at: row, { $0.id == id }) {
        let new = try batch.append(recordAt: row, to: &records)
        entries.append(FeatureEntry(new, records[new]))
        reference = new
        row += 1
      }
      guard old != nil || reference != nil else { continue }
      let (block, offsetInBlock) = rank.quotientAndRemainder(
        dividingBy: IndexFileChanges.directoryBlockCount)
      edits.append(
        IDDirectory.Edit(
          index: IDDirectory.Index(block: block, offset: offsetInBlock), isThere: old != nil,
          reference: reference))
    }
    precondition(row == batch.count, "a feature's id is not among those that have changed")
    removed.sort()
    let keyed = entries.map { (key: $0.position.zOrder, entry: $0) }.sorted { a, b in
      IndexFileRecords.follows(
        b.key, records[b.entry.reference], (a.key, records[a.entry.reference]))
    }
    var offset = 0
    for (key, entry) in keyed {
      let record = records[entry.reference]
      offset = (offset..<order.count).nearPartitionPoint {
        IndexFileRecords.follows(key, record, (positions[$0].zOrder, records[references[$0]]))
      }
      added.append((offset, entry))
    }
  }

  /// Changes the features in place, which must have room for those that are added. O(n).
  ///
  /// - Parameter count: the number of features before.
  /// - Returns: the number of features after.
  func apply(to features: SortedFeatures, count: Int) -> Int {
    var kept = removed.first ?? count
    for (offset, end) in zip(removed, removed.dropFirst() + [count]) {
      features.move(offset + 1..<end, to: kept)
      kept += end - offset - 1
    }
    var (end, target) = (kept, kept + added.count)
    var removedBefore = removed.count
    for (offset, entry) in added.reversed() {
      while removedBefore > 0, removed[removedBefore - 1] >= offset { removedBefore -= 1 }
      let start = offset - removedBefore
      target -= end - start
      features.move(start..<end, to: target)
      target -= 1
      features.set(target, entry)
      end = start
    }
    return kept + added.count
  }
}

extension SortedFeatures {
  /// Moves features to other indices, which may overlap the old ones.
  fileprivate func move(_ range: Range<Int>, to target: Int) {
    let (start, count) = (range.lowerBound, range.count)
    (positions.pointer + target).update(from: positions.pointer + start, count: count)
    (references.pointer + target).update(from: references.pointer + start, count: count)
    (expiries.pointer + target).update(from: expiries.pointer + start, count: count)
  }
}

extension Range<Int> {
  /// Returns what ``partitionPoint(where:)`` does. O(log k) where k is its distance from the lower bound.
  fileprivate func nearPartitionPoint(where isBefore: (Int) -> Bool) -> Int {
    var (start, step) = (lowerBound, 1)
    while upperBound - start > step, isBefore(start + step - 1) {
      (start, step) = (start + step, step * 2)
    }
    return (start..<Swift.min(start + step, upperBound)).partitionPoint(where: isBefore)
  }
}
