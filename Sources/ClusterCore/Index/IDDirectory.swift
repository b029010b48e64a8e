/// The references to a collection's records in id order, in immutable blocks.
struct IDDirectory: Sendable {
  /// The blocks in order, none of them empty.
  let blocks: [FixedArray<RecordReference>]

  /// The maximum number of records in a block.
  static let capacity = 1024

  /// A block and an offset in it, or the end of the last block.
  struct Index: Equatable {
    var block: Int
    var offset: Int
  }

  init(_ blocks: [FixedArray<RecordReference>]) { self.blocks = blocks }

  /// Creates the directory of `count` records in id order. O(n).
  init(_ count: Int, _ reference: (Int) -> RecordReference) {
    let size = IDDirectory.capacity * 3 / 4
    blocks = stride(from: 0, to: count, by: size).map { start in
      let block = WritableArray<RecordReference>(count: min(size, count - start))
      for offset in 0..<block.count { block.pointer[offset] = reference(start + offset) }
      return block.fixed
    }
  }

  var byteCount: Int { blocks.reduce(0) { $0 + $1.byteCount + 64 } }

  /// Returns the first index whose id doesn't precede `id`. O(log n).
  func index(notBefore id: FeatureRecord.RawID, _ records: RecordArena) -> Index {
    // The block after the last one that begins at or before the id.
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

  /// Returns the index at which an id is or would be inserted, and its record if it has one. O(log n).
  func find(
    _ id: FeatureRecord.RawID, _ records: RecordArena
  ) -> (index: Index, reference: RecordReference?) {
    // An id that is the first of a block doesn't belong to the block before.
    let index = index(notBefore: id, records)
    guard index.block < blocks.count, index.offset < blocks[index.block].count,
      case let found = blocks[index.block].pointer[index.offset],
      FeatureRecord.compare(records[found].rawID, id) == 0
    else { return (index, nil) }
    return (index, found)
  }

  /// Calls `body` with the records from an index on, in order, until it returns false.
  func forEach<E>(
    from index: Index = Index(block: 0, offset: 0), _ body: (RecordReference) throws(E) -> Bool
  ) throws(E) {
    var start = index.offset
    for block in blocks.dropFirst(index.block) {
      for offset in start..<max(start, block.count) {
        guard try body(block.pointer[offset]) else { return }
      }
      start = 0
    }
  }

  /// A change of the record with an id.
  struct Edit {
    var index: Index
    /// Whether there is a record with the id at the index.
    var isThere: Bool
    /// The record that replaces it or is inserted at the index; nil if none.
    var reference: RecordReference?
  }

  /// Returns the directory after edits in id order, at most one for each id. O(blocks + k) for k
  /// edits, whose blocks are copied.
  func applying(_ edits: [Edit]) -> IDDirectory {
    var result: [FixedArray<RecordReference>] = []
    result.reserveCapacity(blocks.count + 4)
    var (next, rest) = (0, edits[...])
    while let number = rest.first?.index.block {
      result += blocks[next..<min(number, blocks.count)]
      next = number + 1
      let block = number < blocks.count ? blocks[number] : nil
      let old = UnsafeBufferPointer(start: block?.pointer, count: block?.count ?? 0)
      var changed: [RecordReference] = []
      var offset = 0
      while let edit = rest.first, edit.index.block == number {
        changed += old[offset..<edit.index.offset]
        if let reference = edit.reference { changed.append(reference) }
        offset = edit.index.offset + (edit.isThere ? 1 : 0)
        rest.removeFirst()
      }
      changed += old[offset...]
      IDDirectory.append(changed, to: &result)
    }
    if next < blocks.count { result += blocks[next...] }
    return IDDirectory(result)
  }

  /// Appends records as blocks. A few records are joined with the previous block if it has room.
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
        blocks.append(WritableArray(copying: start + range.lowerBound, count: range.count).fixed)
      }
    }
  }
}
