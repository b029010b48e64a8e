/// Recursive descent over the bytes of a JSON text: short and strict rather than fast.
struct TestJSONParser {
  let bytes: [UInt8]
  private var at = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(TestJSON.Malformed) -> TestJSON {
    let value = try value()
    skipSpace()
    guard at == bytes.count else { throw fail("the end") }
    return value
  }

  private func fail(_ expected: String) -> TestJSON.Malformed {
    TestJSON.Malformed(offset: at, expected: expected)
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { at += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func word(_ text: StaticString, _ value: TestJSON) throws(TestJSON.Malformed)
    -> TestJSON
  {
    let count = text.utf8CodeUnitCount
    let word = UnsafeBufferPointer(start: text.utf8Start, count: count)
    guard at + count <= bytes.count, bytes[at..<at + count].elementsEqual(word) else {
      throw fail("a value")
    }
    at += count
    return value
  }

  private mutating func value() throws(TestJSON.Malformed) -> TestJSON {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return .number(try number())
    }
  }

  private mutating func object() throws(TestJSON.Malformed) -> TestJSON {
    at += 1
    var members: [TestJSON.Member] = []
    skipSpace()
    if take("}") { return .object([]) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw fail("a key") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw fail("a colon") }
      members.append(TestJSON.Member(key, try value()))
      skipSpace()
    } while take(",")
    guard take("}") else { throw fail("a brace") }
    return .object(members)
  }

  private mutating func array() throws(TestJSON.Malformed) -> TestJSON {
    at += 1
    var elements: [TestJSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat {
      elements.append(try value())
      skipSpace()
    } while take(",")
    guard take("]") else { throw fail("a bracket") }
    return .array(elements)
  }

  private mutating func digits() throws(TestJSON.Malformed) {
    let start = at
    while let byte = next, (0x30...0x39).contains(byte) { at += 1 }
    guard at > start else { throw fail("a digit") }
  }

  private mutating func number() throws(TestJSON.Malformed) -> String {
    let start = at
    _ = take("-")
    if !take("0") { try digits() }
    if take(".") { try digits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try digits()
    }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func hex() throws(TestJSON.Malformed) -> UInt32 {
    // `UInt32(_:radix:)` takes a sign, too.
    guard at + 4 <= bytes.count, !bytes[at..<at + 4].contains(UInt8(ascii: "+")),
      !bytes[at..<at + 4].contains(UInt8(ascii: "-")),
      let value = UInt32(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16)
    else { throw fail("four hex digits") }
    at += 4
    return value
  }

  private mutating func escape(into out: inout [UInt8]) throws(TestJSON.Malformed) {
    guard let kind = next else { throw fail("an escape") }
    at += 1
    switch kind {
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(kind)
    case UInt8(ascii: "u"):
      var code = try hex()
      if (0xD800..<0xDC00).contains(code), take("\\"), take("u") {
        let low = try hex()
        guard (0xDC00..<0xE000).contains(low) else { throw fail("a low surrogate") }
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw fail("a pair of surrogates") }
      out.append(contentsOf: String(Character(scalar)).utf8)
    default: throw fail("an escape")
    }
  }

  private mutating func string() throws(TestJSON.Malformed) -> String {
    at += 1
    var out: [UInt8] = []
    while let byte = next {
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: out, as: UTF8.self) else { throw fail("UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &out)
      case 0..<0x20: throw fail("no control character")
      default: out.append(byte)
      }
    }
    throw fail("a closing quote")
  }
}
