import GeoFormats
import Texts

/// HTML as bytes. Marks are literals of the program, and all else is escaped, so that nothing that clients have stored is
/// more than text in it.
struct HTMLWriter {
  var bytes: [UInt8] = []

  /// Creates a writer with memory for so many bytes.
  init(reserving capacity: Int = 4096) { bytes.reserveCapacity(capacity) }

  /// Writes marks.
  mutating func marks(_ marks: StaticString) {
    marks.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Writes a piece of a page.
  mutating func add(_ piece: HTMLPiece) { bytes += piece.bytes }

  /// Writes text, in an element or in quotes.
  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(UnsafeRawBufferPointer($0)) }
  }

  /// Writes text in UTF-8. By bytes: whatever stands beside a `<`, browsers see it. Code points that no page may have are
  /// U+FFFD.
  mutating func text(_ text: UnsafeRawBufferPointer) {
    var (start, place) = (0, 0)
    func escape(_ escape: StaticString, _ length: Int = 1) {
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<place]))
      marks(escape)
      place += length
      start = place
    }
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "&"): escape("&amp;")
      case UInt8(ascii: "<"): escape("&lt;")
      case UInt8(ascii: ">"): escape("&gt;")
      case UInt8(ascii: "\""): escape("&quot;")
      case UInt8(ascii: "'"): escape("&#39;")
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20...0x7E: place += 1
      default:
        let length = HTMLWriter.lengthOfMisplaced(text, at: place)
        if length > 0 { escape("\u{FFFD}", length) } else { place += 1 }
      }
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
  }

  /// The bytes of a code point that no page may have: a control character, or one that is for nothing; 0 if another is there.
  private static func lengthOfMisplaced(_ text: UnsafeRawBufferPointer, at place: Int) -> Int {
    func byte(_ offset: Int) -> UInt8 {
      place + offset < text.count ? text[place + offset] : 0
    }
    switch byte(0) {
    case ..<0x80: return 1
    case 0xC2: return (0x80...0x9F).contains(byte(1)) ? 2 : 0
    case 0xEF:
      let isNothing =
        byte(1) == 0xB7 && (0x90...0xAF).contains(byte(2)) || byte(1) == 0xBF && byte(2) >= 0xBE
      return isNothing ? 3 : 0
    case 0xF0...:
      return byte(1) & 0x0F == 0x0F && byte(2) == 0xBF && byte(3) >= 0xBE ? 4 : 0
    default: return 0
    }
  }

  // MARK: JSON

  /// Writes a JSON text as people read it: strings without quotes, as links if they are addresses of the web; large
  /// numbers in groups of digits; objects and arrays as they are.
  ///
  /// - Parameter most: the bytes after which it is cut.
  mutating func value(_ json: UnsafeRawBufferPointer, atMost most: Int) {
    switch json.first {
    case UInt8(ascii: "\""): string(json, atMost: most)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      marks("<code>")
      cut(json, at: most)
      marks("</code>")
    case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): text(json)
    default: number(json, atMost: most)
    }
  }

  /// Writes the text of a JSON string, as a link if it is an address of the web.
  private mutating func string(_ json: UnsafeRawBufferPointer, atMost most: Int) {
    HTMLWriter.withText(of: json, atMost: most) { text, isCut in
      guard !isCut, HTMLWriter.isAddress(text) else {
        self.text(text)
        return isCut ? marks("…") : ()
      }
      // Search engines don't follow a stored link, and browsers that do don't name this page.
      marks("<a rel=\"nofollow noopener noreferrer\" href=\"")
      self.text(text)
      marks("\">")
      self.text(text)
      marks("</a>")
    }
  }

  /// Calls `body` with the text of a JSON string, cut if it is longer than so many bytes, and whether it is cut.
  static func withText<R>(
    of json: UnsafeRawBufferPointer, atMost most: Int,
    _ body: (_ text: UnsafeRawBufferPointer, _ isCut: Bool) -> R
  ) -> R {
    guard json.count > 2 else { return body(UnsafeRawBufferPointer(start: nil, count: 0), false) }
    let inner = UnsafeRawBufferPointer(rebasing: json[1..<(json.count - 1)])
    let end = end(of: inner, atMost: most)
    let part = UnsafeRawBufferPointer(rebasing: inner[..<end])
    guard let escape = part.firstIndex(of: UInt8(ascii: "\\")) else {
      return body(part, end < inner.count)
    }
    // No escape is longer than two units of UTF-16, and one that is cut goes.
    let whole =
      end == inner.count
      ? end : part[max(escape, end - 12)...].firstIndex(of: UInt8(ascii: "\\")) ?? end
    let quoted = UnsafeRawBufferPointer(rebasing: json[..<(whole + 2)])
    return JSONScanner.unescape(quoted).withUnsafeBytes { body($0, end < inner.count) }
  }

  private mutating func cut(_ text: UnsafeRawBufferPointer, at most: Int) {
    let end = HTMLWriter.end(of: text, atMost: most)
    self.text(UnsafeRawBufferPointer(rebasing: text[..<end]))
    if end < text.count { marks("…") }
  }

  /// Where a text in UTF-8 is cut so that no character is.
  private static func end(of text: UnsafeRawBufferPointer, atMost most: Int) -> Int {
    guard text.count > most else { return text.count }
    var end = most
    while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
    return end
  }

  /// The longest address of the web that becomes a link, in bytes.
  private static let longestAddress = 2000

  /// Whether a text is an address of the web and nothing else. Other schemes could do something.
  private static func isAddress(_ text: UnsafeRawBufferPointer) -> Bool {
    guard text.count <= longestAddress else { return false }
    let scheme = text.prefix(8).map(\.lowercasedASCII)
    guard scheme.starts(with: "https://".utf8) || scheme.starts(with: "http://".utf8) else {
      return false
    }
    return text.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
  }

  /// Writes a number. Those below 10,000 may be years, and stand together.
  private mutating func number(_ json: UnsafeRawBufferPointer, atMost most: Int) {
    let isNegative = json.first == UInt8(ascii: "-")
    let digits = json.dropFirst(isNegative ? 1 : 0).prefix {
      $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
    let rest = UnsafeRawBufferPointer(rebasing: json[digits.endIndex...])
    // A fraction may follow, but no exponent.
    guard digits.count >= 5, json.count <= most,
      !rest.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
    else {
      return cut(json, at: most)
    }
    if isNegative { marks("-") }
    bytes += digits.inThousands
    text(rest)
  }
}

/// A piece of a page as a literal of the program, in which the values are escaped: `"<b>\(title)</b>"`.
struct HTMLPiece: ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  init(stringLiteral marks: String) { bytes = Array(marks.utf8) }

  init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.html.bytes }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html: HTMLWriter

    init(literalCapacity: Int, interpolationCount: Int) {
      html = HTMLWriter(reserving: literalCapacity + interpolationCount * 32)
    }

    mutating func appendLiteral(_ marks: String) { html.bytes += marks.utf8 }

    mutating func appendInterpolation(_ text: String) { html.text(text) }

    mutating func appendInterpolation(_ number: Int) { html.text("\(number)") }
  }
}
