/// Puts records together that are cut by chunks, and gives up on those that are too long without
/// keeping them.
struct RecordBuffer {
  /// One whole record, or the beginning of one that was too long.
  struct Record {
    var bytes: UnsafeRawBufferPointer
    var isTooLong: Bool
    /// Line feeds in what was not kept.
    var droppedLineFeeds: Int

    /// Line feeds in the whole record. Linear in its length.
    var lineFeeds: Int { droppedLineFeeds + RecordBuffer.lineFeeds(bytes) }
  }

  private var kept: [UInt8] = []
  private var length = 0
  private var droppedLineFeeds = 0

  /// Forgets the current record.
  mutating func removeAll() {
    kept.removeAll(keepingCapacity: kept.count <= 1 << 20)
    length = 0
    droppedLineFeeds = 0
  }

  /// Adds a part of the current record that ends with the chunk.
  mutating func keep(_ part: UnsafeRawBufferPointer) {
    let room = max(FeatureReader.maximumFeatureLength - kept.count, 0)
    length += part.count
    kept.append(contentsOf: UnsafeRawBufferPointer(rebasing: part.prefix(room)))
    if part.count > room {
      droppedLineFeeds += RecordBuffer.lineFeeds(UnsafeRawBufferPointer(rebasing: part[room...]))
    }
  }

  /// Adds the last part of the current record and lends the record to `body`.
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

  /// Whether a part of a chunk is a whole record, which needs no copy.
  func isWhole(_ part: UnsafeRawBufferPointer) -> Bool {
    length == 0 && part.count <= FeatureReader.maximumFeatureLength
  }

  private static func lineFeeds(_ bytes: UnsafeRawBufferPointer) -> Int {
    bytes.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
  }
}

/// Passes a byte order mark at the start of a stream.
struct ByteOrderMark {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private var matched = 0
  /// Whether the start of the stream is behind.
  private(set) var isDone = false

  /// Returns how many bytes of a chunk are done with, and the bytes of earlier chunks (and these)
  /// that looked like a mark and weren't.
  mutating func pass(_ chunk: UnsafeRawBufferPointer) -> (consumed: Int, other: ArraySlice<UInt8>) {
    guard !isDone else { return (0, []) }
    for (index, byte) in chunk.enumerated() {
      guard matched < 3, byte == ByteOrderMark.mark[matched] else {
        isDone = true
        return (index, matched < 3 ? ByteOrderMark.mark[..<matched] : [])
      }
      matched += 1
    }
    return (chunk.count, [])
  }

  /// The bytes of the whole stream, if it was nothing but the start of a mark.
  mutating func finish() -> ArraySlice<UInt8> {
    defer { isDone = true }
    return !isDone && matched < 3 ? ByteOrderMark.mark[..<matched] : []
  }
}
