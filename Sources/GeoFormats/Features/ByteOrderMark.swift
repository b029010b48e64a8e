internal import Texts

/// Skips a UTF-8 byte order mark at the start of a stream.
struct ByteOrderMark {
  private static let mark = [UInt8].byteOrderMark
  private var matched = 0
  /// Whether the start of the stream has been passed.
  private(set) var isDone = false

  /// Returns the number of bytes of a chunk that are consumed, and the consumed bytes of this and
  /// earlier chunks that turned out not to be a mark.
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

  /// Returns the bytes of the whole stream if it was only the start of a mark.
  mutating func finish() -> ArraySlice<UInt8> {
    defer { isDone = true }
    return !isDone && matched < 3 ? ByteOrderMark.mark[..<matched] : []
  }
}
