/// The lines of a text, without their breaks: LF, CR or both. The text after the last break is a line unless it is
/// empty.
struct TableLines: Sequence, IteratorProtocol {
  let text: UnsafeRawBufferPointer
  var start = 0

  /// The number of lines, at least one.
  var count: Int { Swift.max(reduce(0) { count, _ in count + 1 }, 1) }

  /// The range of the next line.
  mutating func next() -> Range<Int>? {
    guard start < text.count else { return nil }
    var end = start
    while end < text.count, text[end] != 0x0A, text[end] != 0x0D { end += 1 }
    let line = start..<end
    let isPair = end + 1 < text.count && text[end] == 0x0D && text[end + 1] == 0x0A
    start = end + (isPair ? 2 : 1)
    return line
  }
}
