/// Differences between texts that don't matter.
public struct TextFolding: OptionSet, Hashable, Sendable {
  /// A bit for each.
  public let rawValue: UInt8

  /// Creates what some bits mean.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Case: each code point in upper case, then each of these in lower case, as Unicode maps them. So ß is ss, and
  /// ς is σ.
  public static let casing = TextFolding(rawValue: 1)
  /// Accents: each code point in its canonical decomposition, without nonspacing marks. Syllables of Hangul and
  /// ideographs stay as they are. Latin letters with a stroke, a hook and the like are letters without, and æ is ae,
  /// œ oe, ß ss, ð d, þ th, ı i. Where case doesn't matter either, accents go first.
  public static let accents = TextFolding(rawValue: 2)

  /// Returns a text in UTF-8 without these differences.
  ///
  /// - Complexity: O(n).
  public func fold(_ text: some Collection<UInt8>) -> [UInt8] {
    if isEmpty { return Array(text) }
    if text.allSatisfy({ $0 < 0x80 }) {
      return contains(.casing) ? text.map { $0 &- 65 < 26 ? $0 | 0x20 : $0 } : Array(text)
    }
    let plain = contains(.accents) ? TextFolding.withoutAccents(text) : Array(text)
    return contains(.casing) ? TextFolding.withoutCase(plain) : plain
  }

  private static func withoutAccents(_ text: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar.isASCII {
        result.append(UInt8(truncatingIfNeeded: scalar.value))
      } else if let plain = AccentTable[scalar] {
        result += plain
      } else if scalar.properties.generalCategory != .nonspacingMark {
        result += scalar.utf8
      }
    }
    return result
  }

  private static func withoutCase(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        result += upper.properties.lowercaseMapping.utf8
      }
    }
    return result
  }
}
