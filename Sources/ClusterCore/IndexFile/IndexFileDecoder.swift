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

  /// The features are divided into so many parts of blocks for each processor.
  private static var partsPerThread: Int { 2 }

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

  /// Makes the index; nil if the source can't be read or isn't an index. See ``FeatureIndex/decode(_:)``.
  func decode(blockCapacity: Int = PointIndex.maximumBlockCount) -> FeatureIndex? {
    guard let (records, references) = layOut() else { return nil }
    let features = SortedFeatures(count: count)
    // The offsets of the features in the order of ids, in place of which come their references.
    let order = WritableArray<RecordReference>(count: count)
    guard read(references, into: features, order), areSectionsInOrder(features, records),
      let ends = IndexFileDecoder.ends(features, blockCapacity, checking: order)
    else { return nil }
    return FeatureIndex(
      records: records, blocks: IndexFileDecoder.blocks(features, ends, records),
      directory: IndexFileDecoder.directory(features, order), blockCapacity: blockCapacity)
  }

  /// Makes an arena of the records, which stay where the file is mapped; nil if they don't fit into one.
  ///
  /// - Returns: the arena and, by section, the reference of the first record.
  private func layOut() -> (arena: RecordArena, references: [UInt32])? {
    var bases: [UInt] = []
    var references: [UInt32] = []
    var byteCount = 0
    for (number, section) in sections[..<recordSections].enumerated() {
      let address = UInt(bitPattern: source.address(of: number))
      guard address % 8 == 0 else { return nil }
      let chunks = (section.byteCount + RecordArena.chunkBytes - 1) / RecordArena.chunkBytes
      guard bases.count + chunks <= RecordArena.maximumChunks else { return nil }
      references.append(UInt32(bases.count) << RecordArena.unitBits)
      for chunk in 0..<chunks { bases.append(address + UInt(chunk * RecordArena.chunkBytes)) }
      byteCount += section.byteCount
    }
    return (RecordArena(owner: source, bases: bases, liveBytes: byteCount), references)
  }

  /// Reads all sections and returns whether all are as they were written.
  private func read(
    _ references: [UInt32], into features: SortedFeatures, _ order: WritableArray<RecordReference>
  ) -> Bool {
    let outcome = WritableArray<Bool>(count: sections.count)
    let (source, sections, firsts) = (source, sections, firsts)
    let recordSections = recordSections
    ParallelWork.run(sections.count) { number in
      let section = sections[number]
      outcome.pointer[number] = source.isIntact(number)
      guard outcome.pointer[number] else { return }
      let bytes = UnsafeRawBufferPointer(
        start: source.address(of: number), count: section.byteCount)
      if number < recordSections {
        outcome.pointer[number] = IndexFileRecords.read(
          bytes, at: references[number], into: features, firsts[number],
          count: section.featureCount)
      } else {
        UnsafeMutableRawBufferPointer(start: order.pointer + firsts[number], count: bytes.count)
          .copyMemory(from: bytes)
      }
    }
    return (0..<sections.count).allSatisfy { outcome.pointer[$0] }
  }

  /// Whether each section of records begins where the one before ends.
  private func areSectionsInOrder(_ features: SortedFeatures, _ records: RecordArena) -> Bool {
    let (positions, references) = (features.positions.pointer, features.references.pointer)
    return firsts[..<recordSections].dropFirst().allSatisfy { first in
      IndexFileRecords.follows(
        positions[first], records[references[first]],
        (positions[first - 1], records[references[first - 1]]))
    }
  }

  /// The ends of the blocks, and at the same time a look at the order; nil if it isn't complete. O(n).
  private static func ends(
    _ features: SortedFeatures, _ capacity: Int, checking order: WritableArray<RecordReference>
  ) -> [Int]? {
    let ends = Locked<[Int]>([])
    let isFine = Locked(false)
    ParallelWork.run(2) { part in
      if part == 0 {
        let isComplete = isComplete(order)
        isFine.withLock { $0 = isComplete }
      } else {
        let found = BlockCuts.ends(count: order.count, capacity: capacity) {
          features.positions.pointer[$0]
        }
        ends.withLock { $0 = found }
      }
    }
    return isFine.withLock(\.self) ? ends.withLock(\.self) : nil
  }

  /// Whether an order has the offset of every feature once. O(n).
  private static func isComplete(_ order: WritableArray<RecordReference>) -> Bool {
    let seen = WritableArray<UInt64>(count: order.count / 64 + 1)
    seen.pointer.update(repeating: 0, count: seen.count)
    for rank in 0..<order.count {
      let offset = Int(order.pointer[rank].raw)
      guard offset < order.count else { return false }
      let bit: UInt64 = 1 << UInt64(offset & 63)
      guard seen.pointer[offset >> 6] & bit == 0 else { return false }
      seen.pointer[offset >> 6] |= bit
    }
    return true
  }

  /// Makes the directory of features in some order, whose memory it takes. Its blocks are slices of that, which is freed with
  /// the last of them. O(n).
  private static func directory(
    _ features: SortedFeatures, _ order: WritableArray<RecordReference>
  ) -> IDDirectory {
    // Blocks of the directory have room for a few more.
    let size = IDDirectory.capacity * 3 / 4
    // No value is written after its block was handed over.
    let all = order.fixed
    let blocks = inParts(of: (order.count + size - 1) / size) { numbers in
      numbers.map { number in
        let ranks = number * size..<min((number + 1) * size, order.count)
        for rank in ranks {
          order.pointer[rank] = features.references.pointer[Int(order.pointer[rank].raw)]
        }
        return all.slice(ranks)
      }
    }
    return IDDirectory(blocks)
  }

  /// Makes the blocks with some ends. O(n).
  private static func blocks(
    _ features: SortedFeatures, _ ends: [Int], _ records: RecordArena
  ) -> [FeatureBlock] {
    inParts(of: ends.count) { numbers in
      let start = numbers.lowerBound == 0 ? 0 : ends[numbers.lowerBound - 1]
      return features.blocks(from: start, ends[numbers], records)
    }
  }

  /// Makes values on all processors, in a few large parts: the nodes of the blocks of each lie in one table.
  private static func inParts<Value: Sendable>(
    of count: Int, _ make: @escaping @Sendable (Range<Int>) -> [Value]
  ) -> [Value] {
    let parts = min(count, ParallelWork.threads * partsPerThread)
    let values = Locked([[Value]](repeating: [], count: parts))
    ParallelWork.run(parts) { part in
      let made = make(count * part / parts..<count * (part + 1) / parts)
      values.withLock { $0[part] = made }
    }
    return values.withLock { $0.flatMap(\.self) }
  }
}
