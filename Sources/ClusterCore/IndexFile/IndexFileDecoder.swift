import Threading

/// Makes an index of what ``FeatureIndex/encode(to:)`` has written, on all processors.
struct IndexFileDecoder<Source: IndexFileSource> {
  private let source: Source
  private let sections: [IndexFileSection]
  /// The number of sections that hold records; they come first.
  private let recordSections: Int
  private let count: Int
  /// By section: the offset or rank of its first feature.
  private let firsts: [Int]

  /// Creates a decoder; nil if the sections can't be those of an index.
  init?(_ source: Source) {
    let sections = source.sections
    let recordSections = sections.prefix { $0.kind == .records }.count
    var (count, ordered) = (0, 0)
    var firsts: [Int] = []
    for (number, section) in sections.enumerated() {
      let isPlausible =
        number < recordSections
        ? IndexFileDecoder.isPlausible(section)
        : section.kind == .order && section.byteCount == section.featureCount * 4
      guard section.featureCount > 0, section.featureCount <= FeatureIndex.maximumCount,
        isPlausible
      else { return nil }
      firsts.append(number < recordSections ? count : ordered)
      if number < recordSections {
        count += section.featureCount
      } else {
        ordered += section.featureCount
      }
      guard max(count, ordered) <= FeatureIndex.maximumCount else { return nil }
    }
    guard count == ordered else { return nil }
    (self.source, self.sections, self.recordSections) = (source, sections, recordSections)
    (self.count, self.firsts) = (count, firsts)
  }

  private static func isPlausible(_ section: IndexFileSection) -> Bool {
    let smallest = IndexFileRecords.smallestSize
    guard section.byteCount % 8 == 0, section.byteCount / smallest >= section.featureCount else {
      return false
    }
    // Only a record that doesn't fit into a chunk takes more than one.
    return section.byteCount <= RecordArena.chunkBytes || section.featureCount == 1
  }

  /// Makes the index with some changes; nil if the source can't be read or isn't an index. See
  /// ``FeatureIndex/decode(_:changing:to:)``.
  func decode(
    blockCapacity: Int, changing ids: [FeatureID], to batch: FeatureBatch
  ) throws(RecordArena.Full) -> FeatureIndex? {
    guard let arena = ArenaDraft(sections[..<recordSections], of: source) else { return nil }
    var records = arena.records(of: source)
    var features = IndexFileFeatures(count: count)
    guard read(arena, into: features), areSectionsInOrder(features.entries, records),
      features.isOrderComplete
    else { return nil }
    if !ids.isEmpty {
      let changes = try IndexFileChanges(ids, to: batch, of: features, in: &records)
      features = changes.applied(to: features, records)
    }
    let ends = BlockCuts.ends(count: features.count, capacity: blockCapacity) {
      features.entries.pointer[$0].position.zOrder
    }
    let (blocks, directory) = IndexFileDecoder.build(features, ends, records)
    return FeatureIndex(
      records: records, blocks: blocks, directory: directory, blockCapacity: blockCapacity)
  }

  /// Reads all sections and returns whether all are as they were written.
  private func read(_ arena: ArenaDraft, into features: IndexFileFeatures) -> Bool {
    let (entries, order) = (features.entries, features.order)
    let outcome = WritableArray<Bool>(count: sections.count)
    let (source, sections, firsts) = (source, sections, firsts)
    let recordSections = recordSections
    // Buffers are used again, since fresh memory costs more than reading into it.
    let spaces = Locked<[WritableArray<UInt64>]>([])
    ParallelWork.run(sections.count) { number in
      let section = sections[number]
      if number < recordSections {
        // A copy is read and checked before the mapped bytes are used: on a disk that fails reading
        // returns an error, whereas touching the mapping would end the process.
        let isOrdinary = section.byteCount <= RecordArena.chunkBytes
        let space =
          (isOrdinary ? spaces.withLock { $0.popLast() } : nil)
          ?? WritableArray(count: max(section.byteCount, RecordArena.chunkBytes) / 8)
        defer { if isOrdinary { spaces.withLock { $0.append(space) } } }
        let target = UnsafeMutableRawBufferPointer(
          start: space.pointer, count: section.byteCount)
        outcome.pointer[number] =
          source.read(number, into: target)
          && IndexFileRecords.read(
            UnsafeRawBufferPointer(target), at: arena.reference(of: number),
            into: entries.pointer + firsts[number], count: section.featureCount)
      } else {
        let target = UnsafeMutableRawBufferPointer(
          start: order.pointer + firsts[number], count: section.byteCount)
        outcome.pointer[number] = source.read(number, into: target)
      }
    }
    return (0..<sections.count).allSatisfy { outcome.pointer[$0] }
  }

  /// Whether each section of records begins where the one before ends.
  private func areSectionsInOrder(
    _ entries: WritableArray<FeatureEntry>, _ records: RecordArena
  ) -> Bool {
    (0..<recordSections).dropFirst().allSatisfy { number in
      let (last, first) = (
        entries.pointer[firsts[number] - 1], entries.pointer[firsts[number]]
      )
      return IndexFileRecords.follows(
        first.position.zOrder, records[first.reference],
        (last.position.zOrder, records[last.reference]))
    }
  }

  /// Builds the blocks with some ends and the directory. O(n).
  private static func build(
    _ features: IndexFileFeatures, _ ends: [Int], _ records: RecordArena
  ) -> (blocks: [FeatureBlock], directory: IDDirectory) {
    // The nodes of each part lie in one table, so there are a few large parts.
    let blockParts = min(ends.count, ParallelWork.threads * 2)
    let size = IDDirectory.capacity * 3 / 4
    let directoryCount = (features.count + size - 1) / size
    let stride = 64
    let directoryParts = (directoryCount + stride - 1) / stride
    let blocks = Locked([[FeatureBlock]](repeating: [], count: blockParts))
    let directory = Locked([[FixedArray<RecordReference>]](repeating: [], count: directoryParts))
    let sorted = SortedFeatures(count: features.count)
    // The parts that take longest come first.
    ParallelWork.run(blockParts + directoryParts) { part in
      if part < blockParts {
        let own = ends[ends.count * part / blockParts..<ends.count * (part + 1) / blockParts]
        let start = own.startIndex == 0 ? 0 : ends[own.startIndex - 1]
        for offset in start..<(own.last ?? start) {
          sorted.set(offset, features.entries.pointer[offset])
        }
        let made = sorted.blocks(from: start, own, records)
        blocks.withLock { $0[part] = made }
      } else {
        let first = (part - blockParts) * stride
        let made = (first..<min(first + stride, directoryCount)).map { number in
          let start = number * size
          let block = WritableArray<RecordReference>(count: min(size, features.count - start))
          for rank in 0..<block.count {
            block.pointer[rank] = features.reference(at: start + rank)
          }
          return block.fixed
        }
        directory.withLock { $0[part - blockParts] = made }
      }
    }
    return (
      blocks.withLock { $0.flatMap(\.self) }, IDDirectory(directory.withLock { $0.flatMap(\.self) })
    )
  }
}
