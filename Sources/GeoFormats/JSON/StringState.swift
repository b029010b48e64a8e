/// The state of a scan within a JSON string that may continue in the next chunk.
struct StringState {
  private(set) var isInside = false
  private var isEscaped = false

  /// Enters a string, after its opening quote.
  mutating func enter() { isInside = true }

  /// Reads on within the string. Returns the index after its closing quote, or the end of the chunk.
  @inline(__always)
  mutating func scan(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    if isEscaped {
      isEscaped = false
      index += 1
    }
    while true {
      index = JSONScanner.nextQuoteOrBackslash(chunk, from: index)
      guard index < chunk.count else { return chunk.count }
      if chunk[index] == UInt8(ascii: "\"") {
        isInside = false
        return index + 1
      }
      index += 2
      if index > chunk.count {
        isEscaped = true
        return chunk.count
      }
    }
  }
}
