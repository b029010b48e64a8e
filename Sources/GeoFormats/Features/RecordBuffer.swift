/// Joins records, such as elements of an array, that are split across chunks. Of a record that is too long it keeps only the beginning.
struct RecordBuffer {
  /// A whole record, or the beginning of one that is too long.
  struct Record {
    var bytes: UnsafeRawBufferPointer
    var isTooLong = false
    var droppedLineFeeds = 0

    /// The line feeds in the whole record. Linear in its length.
    var lineFeeds: Int { droppedLineFeeds + RecordBuffer.lineFeeds(bytes) }
  }

  /// The maximum length of a record in bytes.
  let limit: Int
  private var kept: [UInt8] = []
  private var length = 0
  private var droppedLineFeeds = 0

  init(limit: Int) { self.limit = limit }

  /// Adds a part of the current record that continues in the next chunk.
  mutating func keep(_ part: UnsafeRawBufferPointer) {
    let room = max(limit - kept.count, 0)
    length += part.count
    kept.append(contentsOf: UnsafeRawBufferPointer(rebasing: part.prefix(room)))
    if part.count > room {
      droppedLineFeeds += RecordBuffer.lineFeeds(UnsafeRawBufferPointer(rebasing: part[room...]))
    }
  }

  /// Adds the last part of the current record, moves the record out and begins the next one.
  mutating func complete(_ part: UnsafeRawBufferPointer) -> RecordBuffer {
    keep(part)
    defer { self = RecordBuffer(limit: limit) }
    return self
  }

  func withRecord<E: Error>(_ body: (Record) throws(E) -> Void) throws(E) {
    try kept.withUnsafeBufferPointer { (bytes) throws(E) in
      try body(
        Record(
          bytes: UnsafeRawBufferPointer(bytes),
          isTooLong: length > limit, droppedLineFeeds: droppedLineFeeds))
    }
  }

  /// Whether a part of a chunk is a whole record, which then needs no copy.
  func isWhole(_ part: UnsafeRawBufferPointer) -> Bool {
    length == 0 && part.count <= limit
  }

  private static func lineFeeds(_ bytes: UnsafeRawBufferPointer) -> Int {
    bytes.count { $0 == 0x0A }
  }
}
