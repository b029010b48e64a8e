/// Skips a UTF-8 byte order mark at the start of a stream.
struct ByteOrderMark {
  // Static strings are never freed.
  private static let mark: StaticString = "\u{FEFF}"
  private var matched = 0
  private var isDone = false

  /// The bytes up to the end of a chunk that are no mark: those of earlier chunks that only looked like one, and those of
  /// this chunk.
  mutating func pass(
    _ chunk: UnsafeRawBufferPointer
  ) -> (held: UnsafeRawBufferPointer, rest: UnsafeRawBufferPointer) {
    var index = 0
    if !isDone {
      while matched < 3, index < chunk.count,
        chunk[index] == ByteOrderMark.mark.utf8Start[matched]
      {
        (matched, index) = (matched + 1, index + 1)
      }
    }
    let rest = UnsafeRawBufferPointer(rebasing: chunk[index...])
    return (rest.isEmpty ? rest : finish(), rest)
  }

  /// The bytes of the whole stream, or of its start before others, if they are only the start of a mark.
  mutating func finish() -> UnsafeRawBufferPointer {
    defer { isDone = true }
    let isHeld = !isDone && matched < 3
    return UnsafeRawBufferPointer(
      start: ByteOrderMark.mark.utf8Start, count: isHeld ? matched : 0)
  }
}
