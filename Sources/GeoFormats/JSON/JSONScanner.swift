import Glibc
internal import Texts

/// Steps over JSON text that is known to be valid. On other bytes the results are arbitrary, but within
/// bounds.
public enum JSONScanner {
  /// The index after the string whose opening quote is at `start`.
  static func endOfString(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var string = StringState()
    return string.scan(text, from: min(start + 1, text.count))
  }

  /// The index of the first quote or backslash from `start` on, or the end. It looks at eight bytes at a
  /// time; the lowest hit is exact, because borrows only follow a real one.
  @inline(__always)
  static func nextQuoteOrBackslash(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index + 8 <= text.count {
      let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found = quotesAndBackslashes(word)
      if found != 0 { return index + found.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < text.count, text[index] != UInt8(ascii: "\""), text[index] != UInt8(ascii: "\\") {
      index += 1
    }
    return index
  }

  /// The high bit of each byte of a word that is a quote or backslash. Bytes above a hit may be false hits.
  @inline(__always)
  static func quotesAndBackslashes(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    return (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & (ones &* 0x80)
  }

  /// The index after the value that begins at `start`, in text without insignificant white space.
  static func endOfValue(_ text: UnsafeRawBufferPointer, from start: Int) -> Int {
    var depth = 0
    var index = start
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\""):
        index = endOfString(text, from: index)
        if depth == 0 { return index }
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return index }  // the end of the container of a scalar
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ","):
        if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return text.count
  }

  /// Calls `body` with the UTF-8 of a JSON string whose text includes its quotes, of two bytes at least. Only strings with
  /// escapes are copied.
  @inline(__always)
  static func withUTF8<R>(
    of text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R {
    let inner = UnsafeRawBufferPointer(rebasing: text[1..<(text.count - 1)])
    let hasBackslash = inner.baseAddress.map { memchr($0, 0x5C, inner.count) != nil } ?? false
    return hasBackslash ? unescape(text).withUnsafeBytes(body) : body(inner)
  }

  /// The UTF-8 of a JSON string whose text includes its quotes.
  ///
  /// - Complexity: O(bytes).
  public static func unescape(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var index = 1
    let end = max(text.count - 1, 1)
    while index < end {
      let plain = min(nextQuoteOrBackslash(text, from: index), end)
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[index..<plain]))
      index = plain + 1
      guard index < end else { break }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "n"): result.append(0x0A)
      case UInt8(ascii: "r"): result.append(0x0D)
      case UInt8(ascii: "t"): result.append(0x09)
      case UInt8(ascii: "b"): result.append(0x08)
      case UInt8(ascii: "f"): result.append(0x0C)
      case UInt8(ascii: "u"):
        var unit = codeUnit(text, at: index) ?? 0xFFFD
        index += 4
        if unit & 0xFC00 == 0xD800, index + 6 <= end {
          let low = codeUnit(text, at: index + 2) ?? 0xFFFD
          unit = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
          index += 6
        }
        guard let scalar = Unicode.Scalar(unit) else { continue }
        result.append(contentsOf: String(scalar).utf8)
      default: result.append(escape)
      }
    }
    return result
  }

  /// The code unit that four hexadecimal digits stand for, as in `\u00e9`; nil if other bytes are there.
  static func codeUnit(_ text: UnsafeRawBufferPointer, at start: Int) -> UInt32? {
    guard start + 4 <= text.count else { return nil }
    var unit: UInt32 = 0
    for index in start..<start + 4 {
      guard let digit = text[index].hexadecimalValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}

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
