/// Finds the end of one JSON value, across chunks, by its brackets and quotes alone.
struct ElementScanner {
  private enum Kind { case container, string, scalar }

  private var kind = Kind.container
  private var depth = 0
  private var inString = false
  private var escaped = false
  /// Whether the end of the value has been found.
  private(set) var isComplete = false

  /// Whether a value can begin with a significant byte.
  static func canBegin(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"): false
    default: true
    }
  }

  /// Begins a value with a byte and returns how many bytes that consumes.
  mutating func begin(_ byte: UInt8) -> Int {
    self = ElementScanner()
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth = 1
    case UInt8(ascii: "\""):
      kind = .string
      inString = true
    default: kind = .scalar
    }
    return 1
  }

  /// Reads on from an index and returns where it stopped: behind the value if ``isComplete``, else
  /// the end of the chunk.
  mutating func scan(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int {
    if kind == .scalar { return scanScalar(chunk, from: start) }
    var index = start
    var depth = depth
    defer { self.depth = depth }
    while index < chunk.count {
      if inString {
        index = scanString(chunk, from: index)
        if !inString, kind == .string {
          isComplete = true
          return index
        }
        continue
      }
      // Brackets are rare and quotes are not, but every byte outside strings must be looked at.
      let byte = chunk[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""): inString = true
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
    var index = start
    while index < chunk.count {
      switch chunk[index] {
      case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x09, 0x0A, 0x0D:
        isComplete = true
        return index
      default: index += 1
      }
    }
    return index
  }

  private mutating func scanString(_ chunk: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    if escaped {
      escaped = false
      index += 1
    }
    while true {
      index = JSONScanner.nextQuoteOrBackslash(chunk, from: index)
      guard index < chunk.count else { return chunk.count }
      if chunk[index] == UInt8(ascii: "\"") {
        inString = false
        return index + 1
      }
      index += 2
      if index > chunk.count {
        escaped = true
        return chunk.count
      }
    }
  }
}
