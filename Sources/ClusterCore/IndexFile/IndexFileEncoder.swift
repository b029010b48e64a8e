import CHints

/// Lays records out, in index order, as they will lie in memory when they are read back.
public struct IndexFileEncoder {
  /// Places in a section of the order.
  static let placesOfSection = 1 << 18

  private let chunk = LargeMemory(byteCount: RecordArena.chunkBytes)
  private var used = 0
  private var features = 0

  /// An encoder of nothing so far.
  public init() {}

  /// Takes the next record.
  public mutating func append(_ record: FeatureRecord, to sink: IndexFileSink) throws {
    let size = record.size
    if used + size > RecordArena.chunkBytes { try flush(to: sink) }
    guard size <= RecordArena.chunkBytes else {
      return try sink(
        IndexFileSection(kind: .records, byteCount: size, featureCount: 1),
        UnsafeRawBufferPointer(start: record.base, count: size))
    }
    (chunk.start + used).copyMemory(from: record.base, byteCount: size)
    used += size
    features += 1
  }

  private mutating func flush(to sink: IndexFileSink) throws {
    guard features > 0 else { return }
    try sink(
      IndexFileSection(kind: .records, byteCount: used, featureCount: features),
      UnsafeRawBufferPointer(start: chunk.start, count: used))
    (used, features) = (0, 0)
  }

  /// Ends with the order of ids: by rank in it, which of the records it is, from 0.
  public mutating func finish(order: UnsafeBufferPointer<UInt32>, to sink: IndexFileSink) throws {
    try flush(to: sink)
    var start = 0
    while start < order.count {
      let end = min(start + IndexFileEncoder.placesOfSection, order.count)
      let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: order[start..<end]))
      try sink(
        IndexFileSection(kind: .order, byteCount: bytes.count, featureCount: end - start), bytes)
      start = end
    }
  }
}

extension FeatureIndex {
  /// Hands all that it takes to make this index again to a sink. O(n); takes 4 bytes a feature for as
  /// long as it runs. Rethrows what the sink throws.
  public func encode(to sink: IndexFileSink) throws {
    var encoder = IndexFileEncoder()
    let ahead = 8
    for block in blocks {
      let references = block.references.pointer
      for offset in 0..<block.count {
        // Records come from all over the memory; ask for them in time.
        let next = records[references[min(offset &+ ahead, block.count &- 1)]].base
        chints_prefetch(next)
        chints_prefetch(next + 64)
        try encoder.append(records[references[offset]], to: sink)
      }
    }
    let order = orderOfIDs
    try encoder.finish(order: UnsafeBufferPointer(start: order.pointer, count: count), to: sink)
  }

  /// By rank in the order of ids, which feature it is in index order, from 0.
  ///
  /// A reference is looked up in a table of the part of the arena that it is in, and all references
  /// pass once for each part: neither a table of the whole arena nor a sort is needed.
  private var orderOfIDs: FixedArray<UInt32> {
    let order = FixedArray<UInt32>(uninitialized: count)
    let units = records.byteCount / 8
    let part = max(1 << 23, units / 16)
    let table = FixedArray<UInt32>(uninitialized: part)
    var start = 0
    while start < units {
      var number: UInt32 = 0
      for block in blocks {
        for offset in 0..<block.count {
          let place = Int(block.references.pointer[offset].raw) &- start
          if UInt(bitPattern: place) < UInt(bitPattern: part) { table.pointer[place] = number }
          number &+= 1
        }
      }
      var rank = 0
      directory.forEach { reference in
        let place = Int(reference.raw) &- start
        if UInt(bitPattern: place) < UInt(bitPattern: part) {
          order.pointer[rank] = table.pointer[place]
        }
        rank &+= 1
        return true
      }
      start += part
    }
    return order
  }
}
