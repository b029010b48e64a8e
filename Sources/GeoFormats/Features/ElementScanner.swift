/// Finds the end of one JSON value, across chunks, by its brackets and quotes alone.
struct ElementScanner {
  private enum Kind { case container, string, scalar }

  private var kind = Kind.container
  private var depth = 0
  private var string = StringState()
  private(set) var isComplete = false

  static func canBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): false
    default: true
    }
  }

  mutating func begin(_ byte: UInt8) {
    self = ElementScanner()
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
    case UInt8(ascii: "\""):
      kind = .string
      string.enter()
    default: kind = .scalar
    }
  }

  /// Reads on from an index. Returns the index after the value if ``isComplete``, otherwise the end of
  /// the chunk.
  mutating func scan(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int {
    if kind == .scalar { return scanScalar(chunk, from: start) }
    var index = start
    var depth = depth
    defer { self.depth = depth }
    while index < chunk.count {
      if string.isInside {
        index = string.scan(chunk, from: index)
        if !string.isInside, kind == .string {
          isComplete = true
          return index
        }
        continue
      }
      // Brackets are rarer than quotes, but every byte outside strings must be looked at.
      let byte = chunk[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): string.enter()
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 {
          isComplete = true
          return index
        }
      default: break
      }
    }
    return index
  }

  private mutating func scanScalar(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int {
    let end = chunk[start...].firstIndex { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
        || JSONText.isSpace(byte)
    }
    isComplete = end != nil
    return end ?? chunk.count
  }
}
