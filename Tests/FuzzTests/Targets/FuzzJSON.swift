import GeoFormats
import TestSupport

/// JSON documents, beside the parser of the tests.
enum FuzzJSON {
  private static let depth = 200

  static func feed(_ input: UnsafeRawBufferPointer) throws {
    let parser = JSONParser(maximumDepth: depth)
    let root: JSONValue
    do throws(JSONError) {
      root = try parser.parse(input)
    } catch {
      try FuzzFinding.unless(
        error.offset.map { (0...input.count).contains($0) } ?? true, "an error at \(error)")
      return try checkRefusal(input, error)
    }
    let tree = try TestJSON(parsing: withoutMark(input))
    try compare(root, tree)
    // A part is a document, too.
    try compare(JSONParser(maximumDepth: depth).parse(Array(root.text)), tree)
  }

  /// What is refused isn't JSON, or is too deep or has too large a number.
  private static func checkRefusal(_ input: UnsafeRawBufferPointer, _ error: JSONError) throws {
    guard input.count(where: { $0 == 0x5B || $0 == 0x7B }) <= depth,
      let tree = try? TestJSON(parsing: withoutMark(input))
    else { return }
    try FuzzFinding.unless(hasInfinity(tree), "JSON was refused: \(error)")
  }

  private static func withoutMark(_ input: UnsafeRawBufferPointer) -> ArraySlice<UInt8> {
    let bytes = Array(input)
    return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  }

  private static func hasInfinity(_ tree: TestJSON) -> Bool {
    switch tree {
    case .number(let text): Double(text)?.isFinite != true
    case .array(let elements): elements.contains(where: hasInfinity)
    case .object(let members): members.contains { hasInfinity($0.value) }
    case .null, .bool, .string: false
    }
  }

  private static func compare(_ value: JSONValue, _ tree: TestJSON) throws {
    let isSame: Bool
    switch tree {
    case .null: isSame = value.kind == .null
    case .bool(let bool): isSame = value.bool == bool
    case .number(let text):
      isSame = value.number == Double(text) && value.text.elementsEqual(text.utf8)
    case .string(let text): isSame = value.stringBytes?.elementsEqual(text.utf8) == true
    case .array(let elements):
      let found = Array(value.elements)
      isSame = value.kind == .array && value.count == elements.count && found.count == value.count
      if isSame { for (a, b) in zip(found, elements) { try compare(a, b) } }
    case .object(let members):
      let found = Array(value.members)
      isSame = value.kind == .object && value.count == members.count && found.count == value.count
      guard isSame else { break }
      for (a, b) in zip(found, members) {
        try FuzzFinding.unless(a.key.elementsEqual(b.key.utf8), "a member is not \(b.key)")
        try compare(a.value, b.value)
      }
    }
    try FuzzFinding.unless(isSame, "a value is not \(tree)")
  }
}
