/// Joins records that are split across chunks. Of a record that is too long it keeps only the beginning.
struct RecordBuffer {
  /// A whole record, or the beginning of one that is too long.
  struct Record {
    var bytes: UnsafeRawBufferPointer
    var isTooLong: Bool
    /// The line feeds in the part that was not kept.
    var droppedLineFeeds: Int

    /// The line feeds in the whole record. Linear in its length.
    var lineFeeds: Int { droppedLineFeeds + RecordBuffer.lineFeeds(bytes) }
  }

  private var kept: [UInt8] = []
  private var length = 0
  private var droppedLineFeeds = 0

  /// Discards the current record.
  mutating func removeAll() {
    kept.removeAll(keepingCapacity: kept.count <= 1 << 20)
    length = 0
    droppedLineFeeds = 0
  }

  /// Adds a part of the current record that continues in the next chunk.
  mutating func keep(_ part: UnsafeRawBufferPointer) {
    let room = max(FeatureReader.maximumFeatureLength - kept.count, 0)
    length += part.count
    kept.append(contentsOf: UnsafeRawBufferPointer(rebasing: part.prefix(room)))
    if part.count > room {
      droppedLineFeeds += RecordBuffer.lineFeeds(UnsafeRawBufferPointer(rebasing: part[room...]))
    }
  }

  /// Adds the last part of the current record and calls `body` with the record.
  mutating func complete(_ part: UnsafeRawBufferPointer, _ body: (Record) -> Void) {
    keep(part)
    kept.withUnsafeBytes { bytes in
      body(
        Record(
          bytes: bytes, isTooLong: length > FeatureReader.maximumFeatureLength,
          droppedLineFeeds: droppedLineFeeds))
    }
    removeAll()
  }

  /// Whether a part of a chunk is a whole record, which then needs no copy.
  func isWhole(_ part: UnsafeRawBufferPointer) -> Bool {
    length == 0 && part.count <= FeatureReader.maximumFeatureLength
  }

  private static func lineFeeds(_ bytes: UnsafeRawBufferPointer) -> Int {
    bytes.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
  }
}
