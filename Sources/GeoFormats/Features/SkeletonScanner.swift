/// Collects a JSON document without the array of its root's member `features`, or without that which is its root.
///
/// It follows brackets, strings and names only as far as finding that array requires. Text that is not
/// JSON may mislead it, but what it then collects is not JSON either and fails to parse.
struct SkeletonScanner {
  /// The collected bytes, with `[]` in place of the array.
  private(set) var bytes: [UInt8] = []
  /// Whether the array is the root.
  private(set) var isList = false

  /// Whether a second object begins on a line after that of the first, or the first after a record separator.
  private(set) var isSequence = false
  /// Whether the root has ended, and another may follow, as there was no array.
  private var hasEnded = false
  private var canRepeat = true

  /// The last significant bytes at the depth of the root's members.
  private enum Name {
    case none
    /// The start of the root object or a comma; a name may follow.
    case due
    case features
    /// The name `features` and its colon.
    case colon
  }

  private var name = Name.none
  private var depth = 0
  private var rootIsObject = false
  private var string = StringState()
  /// The start in `bytes` of the name that is being read; nil if it is not a member of the root.
  private var nameStart: Int?

  /// Reads on from `index`. Returns true if it stopped after the `[` of the array, or before the second of a sequence.
  mutating func scan(_ chunk: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
    let start = index
    var copied = start
    defer {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[copied..<index]))
    }
    while index < chunk.count {
      if string.isInside {
        index = string.scan(chunk, from: index)
        guard !string.isInside, nameStart != nil else { continue }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[copied..<index]))
        copied = index
        endName()
        continue
      }
      let byte = chunk[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\""):
        string.enter()
        if name == .due, depth == 1 { nameStart = bytes.count + index - 1 - copied }
        name = .none
      case UInt8(ascii: "["):
        if name == .colon && depth == 1 || depth == 0 {
          isList = depth == 0
          canRepeat = false
          return true
        }
        open()
      case UInt8(ascii: "{"):
        if depth == 0, hasEnded {
          bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[copied..<index - 1]))
          copied = index - 1
          isSequence = isLine
          // It is looked at once.
          hasEnded = false
          if isSequence {
            index -= 1
            return true
          }
        }
        if depth == 0 { rootIsObject = true }
        let root = depth == 0
        open()
        if root { name = .due }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        depth = max(depth - 1, 0)
        if depth == 0 { (rootIsObject, hasEnded) = (false, canRepeat) }
        name = .none
      case UInt8(ascii: ","):
        name = depth == 1 && rootIsObject ? .due : .none
      case UInt8(ascii: ":"):
        name = name == .features ? .colon : .none
      default:
        // A record separator (RFC 8142).
        if byte == 0x1E, bytes.isEmpty, index == copied + 1 {
          index -= 1
          isSequence = true
          return true
        }
        if !JSONText.isSpace(byte) { name = .none }
      }
    }
    return false
  }

  /// Takes a bracket behind what was scanned: that with which the array ends, or an object in its place, or with which a
  /// list begins that is not called `features`.
  mutating func take(_ bracket: UInt8) {
    bytes.append(bracket)
    name = .none
  }

  /// Whether what was collected is one line, which has ended.
  private var isLine: Bool {
    bytes.contains(UInt8(ascii: "\n"))
      && bytes.withUnsafeBytes { !JSONText.trimmed($0).contains(UInt8(ascii: "\n")) }
  }

  private mutating func open() {
    depth += 1
    name = .none
  }

  /// Checks whether the name that has just ended is `features`.
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
