/// The records of a collection in the order of their ids, in blocks that never change.
struct IDDirectory: Sendable {
  /// Not empty, each in order, and in order among each other.
  let blocks: [FixedArray<RecordReference>]

  /// The most records of a block.
  static let capacity = 1024

  /// A place in the order: a block, and a record in it; or the end of the last block.
  struct Index: Equatable {
    var block: Int
    var offset: Int
  }

  init(_ blocks: [FixedArray<RecordReference>]) { self.blocks = blocks }

  /// The directory of records that are in order. O(n).
  init(_ count: Int, _ reference: (Int) -> RecordReference) {
    var blocks: [FixedArray<RecordReference>] = []
    var start = 0
    while start < count {
      let block = FixedArray<RecordReference>(
        uninitialized: min(IDDirectory.capacity * 3 / 4, count - start))
      for offset in 0..<block.count { block.pointer[offset] = reference(start + offset) }
      blocks.append(block)
      start += block.count
    }
    self.blocks = blocks
  }

  var byteCount: Int { blocks.reduce(0) { $0 + $1.byteCount + 64 } }

  /// The first spot whose id is not before the given one. O(log n).
  func index(notBefore id: FeatureRecord.RawID, _ records: RecordArena) -> Index {
    // The last block that begins at or before the id.
    let next = blocks.indices.partitionPoint {
      FeatureRecord.compare(records[blocks[$0].pointer[0]].rawID, id) <= 0
    }
    guard next > 0 else { return Index(block: 0, offset: 0) }
    let block = blocks[next - 1]
    let offset = (0..<block.count).partitionPoint {
      FeatureRecord.compare(records[block.pointer[$0]].rawID, id) < 0
    }
    return Index(block: next - 1, offset: offset)
  }

  /// The record at a spot, or at the beginning of the next block; nil at the very end.
  func reference(at index: Index) -> RecordReference? {
    guard index.block < blocks.count else { return nil }
    if index.offset < blocks[index.block].count { return blocks[index.block].pointer[index.offset] }
    return index.block + 1 < blocks.count ? blocks[index.block + 1].pointer[0] : nil
  }

  /// The record with an id, if there is one. O(log n).
  func reference(of id: FeatureRecord.RawID, _ records: RecordArena) -> RecordReference? {
    guard let found = reference(at: index(notBefore: id, records)),
      FeatureRecord.compare(records[found].rawID, id) == 0
    else { return nil }
    return found
  }

  /// Calls `body` with all records in order until it returns false, from a spot on.
  func forEach(from index: Index = Index(block: 0, offset: 0), _ body: (RecordReference) -> Bool) {
    var offset = index.offset
    for block in blocks.dropFirst(index.block) {
      for index in offset..<max(offset, block.count) where !body(block.pointer[index]) { return }
      offset = 0
    }
  }

  /// What becomes of the record with an id.
  struct Edit {
    var index: Index
    /// Whether there is one at the spot.
    var isThere: Bool
    /// What comes in its place, or before the spot; nil if nothing.
    var reference: RecordReference?
  }

  /// The directory after some edits, which are in the order of their ids, one an id. O(blocks + k) for
  /// k edits, whose blocks are copied.
  func applying(_ edits: [Edit]) -> IDDirectory {
    var result: [FixedArray<RecordReference>] = []
    result.reserveCapacity(blocks.count + 4)
    var next = 0
    var index = 0
    while index < edits.count {
      let number = edits[index].index.block
      result += blocks[next..<min(number, blocks.count)]
      next = number + 1
      var changed: [RecordReference] = []
      var offset = 0
      let block = number < blocks.count ? blocks[number] : nil
      while index < edits.count, edits[index].index.block == number {
        let edit = edits[index]
        if let block {
          while offset < edit.index.offset {
            changed.append(block.pointer[offset])
            offset += 1
          }
        }
        if let reference = edit.reference { changed.append(reference) }
        if edit.isThere { offset += 1 }
        index += 1
      }
      if let block {
        while offset < block.count {
          changed.append(block.pointer[offset])
          offset += 1
        }
      }
      IDDirectory.append(changed, to: &result)
    }
    if next < blocks.count { result += blocks[next...] }
    return IDDirectory(result)
  }

  /// Appends records as blocks; few are put into the block before, if they fit.
  private static func append(
    _ references: [RecordReference], to blocks: inout [FixedArray<RecordReference>]
  ) {
    var references = references
    if references.isEmpty { return }
    if references.count < capacity / 4, let last = blocks.last,
      last.count + references.count <= capacity * 3 / 4
    {
      references = UnsafeBufferPointer(start: last.pointer, count: last.count) + references
      blocks.removeLast()
    }
    let parts = (references.count + capacity - 1) / capacity
    for part in 0..<parts {
      let range = references.count * part / parts..<references.count * (part + 1) / parts
      references.withUnsafeBufferPointer { all in
        guard let start = all.baseAddress else { return }
        blocks.append(FixedArray(copying: start + range.lowerBound, count: range.count))
      }
    }
  }
}
