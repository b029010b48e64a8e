/// Lays out records in index order as they will lie in memory when they are read back.
struct IndexFileEncoder {
  /// The number of features in a section of the order.
  static let orderSectionCount = 1 << 18

  private let chunk = LargeMemory(byteCount: RecordArena.chunkBytes)
  private var used = 0
  private var features = 0

  /// Takes the next record.
  mutating func append(_ record: FeatureRecord, to sink: IndexFileSection.Sink) throws {
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

  private mutating func flush(to sink: IndexFileSection.Sink) throws {
    guard features > 0 else { return }
    try sink(
      IndexFileSection(kind: .records, byteCount: used, featureCount: features),
      UnsafeRawBufferPointer(start: chunk.start, count: used))
    (used, features) = (0, 0)
  }

  /// Appends the order of ids as the last sections: by rank, the offset of the record in index order.
  mutating func finish(order: UnsafeBufferPointer<UInt32>, to sink: IndexFileSection.Sink)
    throws
  {
    try flush(to: sink)
    var start = 0
    while start < order.count {
      let end = min(start + IndexFileEncoder.orderSectionCount, order.count)
      let bytes = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: order[start..<end]))
      try sink(
        IndexFileSection(kind: .order, byteCount: bytes.count, featureCount: end - start), bytes)
      start = end
    }
  }
}
