/// What has become of the features of an index file since it was written.
struct IndexFileChanges {
  /// The ranks of features that are removed or replaced, ascending.
  private var removed: [Int] = []
  /// New features, ascending by id, each with the rank of the feature that it comes before.
  private var added: [(rank: Int, entry: FeatureEntry)] = []

  /// Finds what changes. O(k log n) for k ids.
  ///
  /// - Parameters:
  ///   - ids: the ids that have changed, ascending.
  ///   - batch: the features with those ids, ascending by id; an id without a feature is removed.
  ///   - records: the records of all features, to which those of the batch are appended.
  init(
    _ ids: [FeatureID], to batch: FeatureBatch, of features: IndexFileFeatures,
    in records: inout RecordArena
  ) throws(RecordArena.Full) {
    guard features.count + batch.count <= FeatureIndex.maximumCount else {
      throw RecordArena.Full()
    }
    var (rank, row) = (0, 0)
    for id in ids {
      rank = id.withRawID { features.rank(notBefore: $0, from: rank, records) }
      if rank < features.count {
        let reference = features.reference(at: rank)
        if id.withRawID({ FeatureRecord.compare(records[reference].rawID, $0) == 0 }) {
          removed.append(rank)
          records.release(reference)
        }
      }
      guard row < batch.count, batch.withRecord(at: row, { $0.id == id }) else { continue }
      let reference = try batch.append(recordAt: row, to: &records)
      added.append((rank, FeatureEntry(reference, records[reference])))
      row += 1
    }
    precondition(row == batch.count, "a feature's id is not among those that have changed")
  }

  /// The features after the changes. O(n + k log k).
  func applied(to old: IndexFileFeatures, _ records: RecordArena) -> IndexFileFeatures {
    let new = IndexFileFeatures(count: old.count - removed.count + added.count)
    let isRemoved = WritableArray<Bool>(count: old.count)
    isRemoved.pointer.update(repeating: false, count: old.count)
    for rank in removed { isRemoved.pointer[Int(old.order.pointer[rank])] = true }
    // Equal positions are in the order of ids, as the new features are.
    let keys = added.map(\.entry.position.zOrder)
    let sorted = keys.indices.sorted { keys[$0] != keys[$1] ? keys[$0] < keys[$1] : $0 < $1 }
    var addedOffsets = [UInt32](repeating: 0, count: added.count)
    let keptOffsets = WritableArray<UInt32>(count: old.count)

    var (next, target) = (0, 0)
    func insert() {
      new.entries.pointer[target] = added[sorted[next]].entry
      addedOffsets[sorted[next]] = UInt32(target)
      (next, target) = (next + 1, target + 1)
    }
    for offset in 0..<old.count where !isRemoved.pointer[offset] {
      let entry = old.entries.pointer[offset]
      let key = entry.position.zOrder
      while next < sorted.count, keys[sorted[next]] <= key {
        let reference = added[sorted[next]].entry.reference
        if keys[sorted[next]] == key,
          FeatureRecord.compareIDs(records[entry.reference], records[reference]) < 0
        {
          break
        }
        insert()
      }
      new.entries.pointer[target] = entry
      keptOffsets.pointer[offset] = UInt32(target)
      target += 1
    }
    while next < sorted.count { insert() }

    var (nextRemoved, nextAdded, rank) = (0, 0, 0)
    for oldRank in 0...old.count {
      while nextAdded < added.count, added[nextAdded].rank == oldRank {
        new.order.pointer[rank] = addedOffsets[nextAdded]
        (nextAdded, rank) = (nextAdded + 1, rank + 1)
      }
      if nextRemoved < removed.count, removed[nextRemoved] == oldRank {
        nextRemoved += 1
      } else if oldRank < old.count {
        new.order.pointer[rank] = keptOffsets.pointer[Int(old.order.pointer[oldRank])]
        rank += 1
      }
    }
    return new
  }
}
