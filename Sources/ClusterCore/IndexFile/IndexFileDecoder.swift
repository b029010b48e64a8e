import Threading

/// Makes an index of what ``FeatureIndex/encode(to:)`` has written, on all processors.
struct IndexFileDecoder<Source: IndexFileSource> {
  private let source: Source
  private let sections: [IndexFileSection]
  /// How many of the sections hold records.
  private let recordSections: Int
  private let count: Int
  /// By section: the number of the first feature that it tells of.
  private let firsts: [Int]

  /// Nil for sections that can't be those of an index.
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
    // Larger than a chunk is only what doesn't fit into one.
    return section.byteCount <= RecordArena.chunkBytes || section.featureCount == 1
  }

  /// The index; nil if it can't be read or isn't one.
  func decode(blockCapacity: Int) -> FeatureIndex? {
    guard let arena = ArenaDraft(sections[..<recordSections], of: source) else { return nil }
    let records = arena.records(of: source)
    let entries = FixedArray<FeatureEntry>(uninitialized: count)
    let order = FixedArray<UInt32>(uninitialized: count)
    guard read(arena, entries, order), isInOrder(entries, records) else { return nil }
    let ends = BlockCuts.ends(count: count, capacity: blockCapacity) {
      entries.pointer[$0].position.zOrder
    }
    guard let (blocks, directory) = build(entries, order, ends, records) else { return nil }
    return FeatureIndex(
      records: records, blocks: blocks, directory: IDDirectory(directory),
      blockCapacity: blockCapacity)
  }

  /// Reads all sections; whether all are as they were written.
  private func read(
    _ arena: ArenaDraft, _ entries: FixedArray<FeatureEntry>, _ order: FixedArray<UInt32>
  ) -> Bool {
    let outcome = FixedArray<Bool>(uninitialized: sections.count)
    let (source, sections, firsts) = (source, sections, firsts)
    let recordSections = recordSections
    // To be used again: fresh memory costs more than reading into it.
    let spaces = Locked<[FixedArray<UInt64>]>([])
    ParallelWork.run(sections.count) { number in
      let section = sections[number]
      if number < recordSections {
        // What is read is a copy: where the disk fails, this doesn't give the bytes, and to touch them
        // in memory would be the end.
        let isOrdinary = section.byteCount <= RecordArena.chunkBytes
        let space =
          (isOrdinary ? spaces.withLock { $0.popLast() } : nil)
          ?? FixedArray(uninitialized: max(section.byteCount, RecordArena.chunkBytes) / 8)
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

  /// Whether each section of records goes on where the one before ends.
  private func isInOrder(_ entries: FixedArray<FeatureEntry>, _ records: RecordArena) -> Bool {
    (0..<recordSections).dropFirst().allSatisfy { number in
      let (last, first) = (
        entries.pointer[firsts[number] - 1], entries.pointer[firsts[number]]
      )
      return IndexFileRecords.follows(
        first.position.zOrder, records[first.reference],
        (last.position.zOrder, records[last.reference]))
    }
  }

  /// The blocks that end at some places, and those of the directory; nil if the order isn't one.
  private func build(
    _ entries: FixedArray<FeatureEntry>, _ order: FixedArray<UInt32>, _ ends: [Int],
    _ records: RecordArena
  ) -> (blocks: [FeatureBlock], directory: [FixedArray<RecordReference>])? {
    // A few large parts, for the nodes of each lie in one table.
    let blockParts = min(ends.count, ParallelWork.threads * 2)
    let size = IDDirectory.capacity * 3 / 4
    let directoryCount = (count + size - 1) / size
    let stride = 64
    let directoryParts = (directoryCount + stride - 1) / stride
    let blocks = Pieces<[FeatureBlock]>(blockParts)
    let directory = Pieces<FixedArray<RecordReference>>(directoryCount)
    let isPermutation = FixedArray<Bool>(uninitialized: 1)
    let features = SortedFeatures(count: count)
    let count = count
    // What takes longest comes first.
    ParallelWork.run(blockParts + 1 + directoryParts) { part in
      if part < blockParts {
        let own = ends[ends.count * part / blockParts..<ends.count * (part + 1) / blockParts]
        let start = own.startIndex == 0 ? 0 : ends[own.startIndex - 1]
        for place in start..<(own.last ?? start) { features.set(place, entries.pointer[place]) }
        blocks.set(part, features.blocks(from: start, own, records))
      } else if part == blockParts {
        isPermutation.pointer[0] = IndexFileDecoder.isPermutation(order)
      } else {
        let first = (part - 1 - blockParts) * stride
        for number in first..<min(first + stride, directoryCount) {
          let start = number * size
          let block = FixedArray<RecordReference>(uninitialized: min(size, count - start))
          for offset in 0..<block.count {
            // Whether it is one of them is seen by the other part.
            let place = min(Int(order.pointer[start + offset]), count - 1)
            block.pointer[offset] = entries.pointer[place].reference
          }
          directory.set(number, block)
        }
      }
    }
    guard isPermutation.pointer[0] else { return nil }
    return (blocks.all.flatMap { $0 }, directory.all)
  }

  /// Whether every number below the count is there once.
  private static func isPermutation(_ order: FixedArray<UInt32>) -> Bool {
    let seen = FixedArray<UInt64>(uninitialized: order.count / 64 + 1)
    seen.pointer.update(repeating: 0, count: seen.count)
    for rank in 0..<order.count {
      let number = Int(order.pointer[rank])
      guard number < order.count else { return false }
      let bit: UInt64 = 1 << UInt64(number & 63)
      guard seen.pointer[number >> 6] & bit == 0 else { return false }
      seen.pointer[number >> 6] |= bit
    }
    return true
  }

  /// Values that several threads make.
  ///
  /// `@unchecked Sendable`: each place is set by one thread, and read after all have ended.
  private final class Pieces<Piece: Sendable>: @unchecked Sendable {
    private let pieces: UnsafeMutableBufferPointer<Piece?>

    init(_ count: Int) {
      pieces = .allocate(capacity: count)
      pieces.initialize(repeating: nil)
    }

    deinit {
      pieces.deinitialize()
      pieces.deallocate()
    }

    func set(_ number: Int, _ piece: Piece) { pieces[number] = piece }

    var all: [Piece] { pieces.compactMap { $0 } }
  }
}
