/// Percent-encoding of URLs (RFC 3986).
public enum PercentCoding {
  /// The text that bytes stand for; nil if an escape is broken or they aren't UTF-8. A plus may stand for a
  /// space, as in queries that forms make.
  ///
  /// - Complexity: O(bytes).
  public static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var iterator = text.makeIterator()
    while let byte = iterator.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = iterator.next().flatMap({ $0.hexadecimalValue }),
          let low = iterator.next().flatMap({ $0.hexadecimalValue })
        else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Text as a path segment or query value: all but unreserved characters escaped.
  ///
  /// - Complexity: O(bytes).
  public static func encode(_ text: String) -> String { escape(text, unless: isUnreserved) }

  /// A path: all but unreserved characters and slashes escaped.
  ///
  /// - Complexity: O(bytes).
  public static func encode(path: String) -> String {
    escape(path) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
  }

  /// A path and query as it came, with the characters escaped that no URL may hold, so that it can stand in a
  /// link.
  ///
  /// - Complexity: O(bytes).
  public static func asLink(_ target: String) -> String {
    target.utf8.allSatisfy(inLinks.contains) ? target : escape(target, unless: inLinks.contains)
  }

  /// Whether a character is unreserved (RFC 3986, section 2.3).
  public static func isUnreserved(_ byte: UInt8) -> Bool { unreserved.contains(byte) }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
  private static let unreserved = ASCIISet(letters + "0123456789-._~")
  private static let inLinks = ASCIISet(letters + "0123456789-._~%:/?#@!$&'()*+,;=")

  /// Some ASCII characters, a bit for each.
  private struct ASCIISet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ characters: String) {
      for byte in characters.utf8 {
        if byte < 64 { low |= 1 &<< UInt64(byte) } else { high |= 1 &<< UInt64(byte & 63) }
      }
    }

    func contains(_ byte: UInt8) -> Bool {
      byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
    }
  }

  private static func escape(_ text: String, unless isAllowed: (UInt8) -> Bool) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if isAllowed(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
