internal import ClusterCore
internal import Texts

/// Splits a filter into tokens.
struct CQL2Tokenizer {
  private let text: [UInt8]
  private var index = 0
  /// Whether a sign that follows is an operator rather than a part of a number.
  private var followsOperand = false

  init(_ text: [UInt8]) { self.text = text }

  /// The number of the code point at a byte offset, counted from 1.
  func character(at offset: Int) -> Int { text[..<offset].count { $0 & 0xC0 != 0x80 } + 1 }

  func failure(at offset: Int, _ detail: String) -> CQL2Error {
    .syntax(character: character(at: offset), detail: detail)
  }

  /// The next token; ``CQL2Token/Kind/end`` at the end, however often it is called.
  mutating func next() throws(CQL2Error) -> CQL2Token {
    let token = try read()
    switch token.kind {
    case .name, .quotedName, .string, .number, .rightParenthesis, .keyword(.true), .keyword(.false):
      followsOperand = true
    default: followsOperand = false
    }
    return token
  }

  private mutating func read() throws(CQL2Error) -> CQL2Token {
    while index < text.count, JSONText.isSpace(text[index]) { index += 1 }
    let start = index
    guard index < text.count else { return CQL2Token(kind: .end, start: start) }
    let kind: CQL2Token.Kind
    switch text[index] {
    case UInt8(ascii: "'"):
      kind = .string(try quoted("a string", hint: "; a single quote within a string is written ''"))
    case UInt8(ascii: "\""):
      kind = .quotedName(
        try quoted("a name", hint: "; a double quote within a name is written \"\""))
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."): kind = try number()
    case UInt8(ascii: "-"), UInt8(ascii: "+"):
      kind = !followsOperand && isNumberAhead ? try number() : try sign()
    default:
      kind = CQL2Name.start(text, at: index) > 0 ? word() : try sign()
    }
    return CQL2Token(kind: kind, start: start)
  }

  /// The text between quotes. A doubled quote stands for one, and so does `\'` in a string, where `\n` and the like
  /// are control characters. Any other backslash stays, for `LIKE`; so do both of `\\`.
  private mutating func quoted(_ what: String, hint: String) throws(CQL2Error) -> [UInt8] {
    let (start, quote) = (index, text[index])
    index += 1
    // Most texts are as they stand.
    let end = text[index...].firstIndex { $0 == quote || $0 == UInt8(ascii: "\\") } ?? text.count
    var result = Array(text[index..<end])
    index = end
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == quote {
        guard index < text.count, text[index] == quote else { return result }
        index += 1
      } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "'"), index < text.count {
        let next = text[index]
        index += 1
        if let control = CQL2Tokenizer.escapes[next] {
          result.append(control)
        } else {
          result += [byte, next]
        }
        continue
      }
      result.append(byte)
    }
    throw failure(at: start, "\(what) that begins here is not closed\(hint)")
  }

  /// The meanings of bytes after a backslash, as CQL2 has them.
  private static let escapes = Dictionary(
    uniqueKeysWithValues: zip("'abtnvfr".utf8, [0x27, 7, 8, 9, 0x0A, 0x0B, 0x0C, 0x0D] as [UInt8]))

  /// Whether a number follows the sign at the index.
  private var isNumberAhead: Bool {
    guard index + 1 < text.count else { return false }
    let next = text[index + 1]
    return next.isDigit
      || (next == UInt8(ascii: ".") && index + 2 < text.count && text[index + 2].isDigit)
  }

  private mutating func number() throws(CQL2Error) -> CQL2Token.Kind {
    let start = index
    index += 1
    while index < text.count, isPartOfNumber(index) { index += 1 }
    // Letters and digits right after the number belong to it, so that 12abc and 1.2.3 are errors as
    // a whole.
    skipName()
    let digits = Array(text[start..<index])
    guard let value = digits.withUnsafeBytes({ JSONText.decimal($0) }) else {
      let shown = String(String(decoding: digits, as: UTF8.self).unicodeScalars.prefix(40))
      throw failure(
        at: start,
        "“\(shown)” is not a number that a double can represent; "
          + "strings need single quotes, and names that begin with a digit double quotes")
    }
    return .number(value)
  }

  private func isPartOfNumber(_ index: Int) -> Bool {
    let byte = text[index]
    if byte.isDigit || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
      return true
    }
    // The sign of an exponent.
    return (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+"))
      && text[index - 1] | 0x20 == UInt8(ascii: "e")
  }

  private mutating func word() -> CQL2Token.Kind {
    let start = index
    index += CQL2Name.start(text, at: index)
    skipName()
    let word = Array(text[start..<index])
    return CQL2Token.Keyword(word).map { .keyword($0) } ?? .name(word)
  }

  /// Skips characters that may continue a name.
  private mutating func skipName() {
    while index < text.count {
      let length = CQL2Name.part(text, at: index)
      if length == 0 { return }
      index += length
    }
  }

  private mutating func sign() throws(CQL2Error) -> CQL2Token.Kind {
    let start = index
    let byte = text[index]
    let next = index + 1 < text.count ? text[index + 1] : 0
    index += 1
    switch (byte, next) {
    case (UInt8(ascii: "("), _): return .leftParenthesis
    case (UInt8(ascii: ")"), _): return .rightParenthesis
    case (UInt8(ascii: ","), _): return .comma
    case (UInt8(ascii: "="), UInt8(ascii: "=")):
      throw failure(at: start, "== is not an operator; write =")
    case (UInt8(ascii: "!"), UInt8(ascii: "=")):
      throw failure(at: start, "!= is not an operator; write <>")
    case (UInt8(ascii: "="), _): return .comparison("=")
    case (UInt8(ascii: "<"), UInt8(ascii: ">")), (UInt8(ascii: "<"), UInt8(ascii: "=")),
      (UInt8(ascii: ">"), UInt8(ascii: "=")):
      index += 1
      return .comparison(String(decoding: [byte, next], as: UTF8.self))
    case (UInt8(ascii: "<"), _): return .comparison("<")
    case (UInt8(ascii: ">"), _): return .comparison(">")
    case (UInt8(ascii: "&"), _): throw failure(at: start, "& is not an operator; write AND")
    case (UInt8(ascii: "|"), _): throw failure(at: start, "| is not an operator; write OR")
    case (UInt8(ascii: "!"), _): throw failure(at: start, "! is not an operator; write NOT")
    default:
      let sign = String(UnicodeScalar(byte))
      if byte < 0x80, let operation = Arithmetic(rawValue: sign) { return .arithmetic(operation) }
      while index < text.count, text[index] & 0xC0 == 0x80 { index += 1 }
      return .unsupported(String(decoding: text[start..<index], as: UTF8.self))
    }
  }
}
