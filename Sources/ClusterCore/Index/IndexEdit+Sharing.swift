/// Edits of an index over records that belong to another one.
extension IndexEdit {
  /// Adds features of the other index, or replaces them.
  mutating func put(_ references: [RecordReference]) {
    for reference in references { append(reference, reference) }
  }

  /// Removes features that the index has.
  mutating func remove(_ references: [RecordReference]) {
    for reference in references { append(reference, nil) }
  }
}

extension FeatureIndex {
  /// The index of some features in index order, over records that belong to another index. O(k log k).
  convenience init(selected entries: GrowingArray<FeatureEntry>, sharing records: RecordArena) {
    let capacity = PointIndex.maximumBlockCount
    let ends = BlockCuts.ends(count: entries.count, capacity: capacity) {
      entries.pointer[$0].position
    }
    let features = SortedFeatures(count: entries.count)
    for index in 0..<entries.count { features.set(index, entries.pointer[index]) }
    let sorted = (0..<entries.count).map { entries.pointer[$0].reference }.sorted {
      FeatureRecord.compareIDs(records[$0], records[$1]) < 0
    }
    self.init(
      records: records, blocks: features.blocks(from: 0, ends[...], records),
      directory: IDDirectory(sorted.count) { sorted[$0] }, blockCapacity: capacity)
  }

  /// The index of some features by their records, which belong to another index. O(k log k).
  convenience init(of references: [RecordReference], sharing records: RecordArena) {
    var entries = GrowingArray<FeatureEntry>(capacity: references.count)
    let sorted = references.sorted { FeatureRecord.compareIDs(records[$0], records[$1]) < 0 }
    for reference in sorted { entries.append(FeatureEntry(reference, records[reference])) }
    self.init(
      records: records, entriesByID: entries, blockCapacity: PointIndex.maximumBlockCount)
  }
}
