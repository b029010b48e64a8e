internal import Texts

/// An error in a text that isn't JSON although its brackets, quotes, colons and commas are in their places, so that it
/// ends where it seems to end: a number that is no finite double, a word such as `NaN`, or a string with a lone
/// surrogate, a control character or bytes that aren't UTF-8.
struct JSONFault {
  /// The first of these, in words for people; nil if it is something else.
  private(set) var detail: String?
  private let text: UnsafeRawBufferPointer
  private var expected = Expected.value
  /// The arrays and objects around the current token, each with the name of the member that it
  /// is.
  private var around: [(isObject: Bool, name: Range<Int>)] = []
  /// The name of the member that is read, as it is written.
  private var name = 0..<0

  /// The tokens that may come next.
  private enum Expected { case value, valueOrEnd, nameOrEnd, colon, commaOrEnd, nothing }

  /// Looks at a text that isn't JSON, in time linear in its length; nil if its end can't be trusted.
  ///
  /// - Parameter isTold: whether it is to be found out what is wrong.
  init?(in text: UnsafeRawBufferPointer, isTold: Bool = true) {
    self.text = text
    detail = isTold ? nil : ""
    guard isSound() else { return nil }
  }

  /// The message for the client about a text in which the parser found an error.
  func text(_ error: JSONError) -> String { detail ?? "not JSON: \(error.reason)" }

  /// The message for the client about a text whose end is known.
  static func text(of text: UnsafeRawBufferPointer, _ error: JSONError) -> String {
    JSONFault(in: text)?.text(error) ?? "not JSON: \(error.reason)"
  }

  private mutating func isSound() -> Bool {
    var index = 0
    while index < text.count {
      let byte = text[index]
      if JSONText.isSpace(byte) {
        index += 1
      } else if byte == UInt8(ascii: "\"") {
        var string = StringState()
        string.enter()
        let end = string.scan(text, from: index + 1)
        guard !string.isInside, take(string: index + 1..<end - 1) else { return false }
        index = end
      } else if JSONFault.isOfWord(byte) {
        let start = index
        while index < text.count, JSONFault.isOfWord(text[index]) { index += 1 }
        guard endValue() else { return false }
        if detail == nil { look(atWord: start..<index) }
      } else {
        guard take(mark: byte) else { return false }
        index += 1
      }
    }
    return expected == .nothing
  }

  private mutating func take(mark byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard expected == .value || expected == .valueOrEnd else { return false }
      let isObject = byte == UInt8(ascii: "{")
      around.append((isObject, name))
      expected = isObject ? .nameOrEnd : .valueOrEnd
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      guard let last = around.popLast(), last.isObject == (byte == UInt8(ascii: "}")),
        expected == .commaOrEnd || expected == (last.isObject ? .nameOrEnd : .valueOrEnd)
      else { return false }
      name = last.name
      expected = around.isEmpty ? .nothing : .commaOrEnd
    case UInt8(ascii: ","):
      guard expected == .commaOrEnd, let last = around.last else { return false }
      expected = last.isObject ? .nameOrEnd : .valueOrEnd
    case UInt8(ascii: ":"):
      guard expected == .colon else { return false }
      expected = .value
    default: return false
    }
    return true
  }

  private mutating func take(string: Range<Int>) -> Bool {
    if expected == .nameOrEnd {
      name = string
      expected = .colon
    } else {
      guard endValue() else { return false }
    }
    if detail == nil { look(atString: string) }
    return true
  }

  private mutating func endValue() -> Bool {
    guard expected == .value || expected == .valueOrEnd else { return false }
    expected = around.isEmpty ? .nothing : .commaOrEnd
    return true
  }

  private mutating func look(atWord range: Range<Int>) {
    let word = UnsafeRawBufferPointer(rebasing: text[range])
    guard JSONText.isNumber(word) else {
      let isKnown = ["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
      if !isKnown { say("\(JSONFault.shown(word)) is not a value of JSON") }
      return
    }
    if !JSONText.isFinite(word) {
      say("the number \(JSONFault.shown(word)) is beyond what a double can hold")
    }
  }

  private mutating func look(atString range: Range<Int>) {
    let string = UnsafeRawBufferPointer(rebasing: text[range])
    var index = 0
    while index < string.count {
      let byte = string[index]
      if byte < 0x20 {
        return say(
          "a string holds the control character U+00\(JSONFault.hexadecimal(byte)) unescaped")
      }
      if byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      guard
        let length = JSONFault.lengthOfEscape(UnsafeRawBufferPointer(rebasing: string[index...]))
      else {
        let escape = UnsafeRawBufferPointer(
          rebasing: string[index..<min(index + 6, string.count)])
        let isCode = escape.count == 6 && escape[1] == UInt8(ascii: "u")
        let shown = isCode ? escape : UnsafeRawBufferPointer(rebasing: escape.prefix(2))
        return say(
          "a string holds the escape \(JSONFault.shown(shown)), "
            + (JSONFault.code(escape) == nil
              ? "which JSON doesn't have" : "half of a character (a lone surrogate)"))
      }
      index += length
    }
    if JSONText.isUTF8(string) { return }
    var parser = Unicode.UTF8.ForwardParser()
    var bytes = string.makeIterator()
    var place = 0
    while case .valid(let scalar) = parser.parseScalar(from: &bytes) { place += scalar.count }
    guard place < string.count else { return }
    say("a string holds the byte 0x\(JSONFault.hexadecimal(string[place])), which isn't UTF-8")
  }

  /// Keeps the error, with the member that it is in.
  private mutating func say(_ fault: String) {
    let name = UnsafeRawBufferPointer(rebasing: text[name])
    detail = (name.isEmpty ? "" : "in \"\(JSONFault.shown(name))\": ") + fault
  }

  /// The length of an escape or of a pair of surrogates; nil if it stands for no character.
  private static func lengthOfEscape(_ text: UnsafeRawBufferPointer) -> Int? {
    guard text.count >= 2 else { return nil }
    guard text[1] == UInt8(ascii: "u") else {
      return "\"\\/bfnrt".utf8.contains(text[1]) ? 2 : nil
    }
    guard let first = code(text) else { return nil }
    guard (0xD800..<0xE000).contains(first) else { return 6 }
    guard first < 0xDC00, text.count >= 12, text[6] == UInt8(ascii: "\\"),
      let second = code(UnsafeRawBufferPointer(rebasing: text[6...])),
      (0xDC00..<0xE000).contains(second)
    else { return nil }
    return 12
  }

  /// The code unit of an escape such as `\u00e9`; nil if it isn't one.
  private static func code(_ text: UnsafeRawBufferPointer) -> UInt32? {
    guard text.count >= 6, text[1] == UInt8(ascii: "u") else { return nil }
    return JSONScanner.codeUnit(text, at: 2)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func shown(_ text: UnsafeRawBufferPointer) -> Substring {
    String(decoding: text.prefix(100), as: UTF8.self).shortened(to: 40)
  }

  /// Whether a byte may be of a number or of a word such as `-Infinity`.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte.isDigit || (0x61...0x7A).contains(byte | 0x20) || "+-._".utf8.contains(byte)
  }
}
