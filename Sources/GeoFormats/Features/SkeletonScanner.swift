/// Collects a JSON document but for the array of its root's member `features`.
///
/// It follows brackets, strings and names only as far as it takes to find that array; text that is
/// not JSON may lead it astray, but then what it collects isn't JSON either and fails to parse.
struct SkeletonScanner {
  /// What was collected; `[]` stands for the array.
  private(set) var bytes: [UInt8] = []

  /// What the last significant bytes were, at the depth of the root's members.
  private enum Name {
    /// Nothing that leads to the array.
    case none
    /// The start of the root object, or a comma: a name may follow.
    case due
    /// The name `features` has ended.
    case features
    /// And its colon has come.
    case colon
  }

  private var name = Name.none
  private var depth = 0
  private var rootIsObject = false
  private var inString = false
  private var escaped = false
  /// Where the name that is being read begins in `bytes`; nil if it is no name of the root.
  private var nameStart: Int?

  /// Reads on from `index`; true if it stopped behind the `[` of the array.
  mutating func scan(_ chunk: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
    let start = index
    var copied = start
    defer {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[copied..<index]))
    }
    while index < chunk.count {
      if inString {
        scanString(chunk, &index)
        guard !inString, nameStart != nil else { continue }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[copied..<index]))
        copied = index
        endName()
        continue
      }
      let byte = chunk[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        inString = true
        if name == .due, depth == 1 { nameStart = bytes.count + index - 1 - copied }
        name = .none
      case UInt8(ascii: "["):
        if name == .colon, depth == 1 { return true }
        open()
      case UInt8(ascii: "{"):
        if depth == 0 { rootIsObject = true }
        let root = depth == 0
        open()
        if root { name = .due }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(depth - 1, 0)
        if depth == 0 { rootIsObject = false }
        name = .none
      case UInt8(ascii: ","):
        name = depth == 1 && rootIsObject ? .due : .none
      case UInt8(ascii: ":"):
        name = name == .features ? .colon : .none
      case 0x20, 0x09, 0x0A, 0x0D: break
      default: name = .none
      }
    }
    return false
  }

  /// Goes on behind the array.
  mutating func closeArray() {
    bytes.append(UInt8(ascii: "]"))
    name = .none
  }

  private mutating func open() {
    depth += 1
    name = .none
  }

  private mutating func scanString(_ chunk: UnsafeRawBufferPointer, _ index: inout Int) {
    if escaped {
      escaped = false
      index += 1
      return
    }
    index = JSONScanner.nextQuoteOrBackslash(chunk, from: index)
    guard index < chunk.count else { return }
    if chunk[index] == UInt8(ascii: "\"") { inString = false } else { escaped = true }
    index += 1
  }

  /// The name that has just ended may be the one.
  private mutating func endName() {
    guard let start = nameStart else { return }
    nameStart = nil
    let found = bytes.withUnsafeBytes { bytes in
      let text = UnsafeRawBufferPointer(rebasing: bytes[start...])
      return text.count <= 2 + 6 * 8 && JSONScanner.unescape(text) == Array("features".utf8)
    }
    name = found ? .features : .none
  }
}
