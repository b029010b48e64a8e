/// Text without differences of case: each code point in upper case, then each of these in lower case, as
/// Unicode maps them. So ß is ss, and ς is σ.
public enum CaseFolding {
  /// Returns a text in UTF-8 without differences of case. O(n).
  public static func fold(_ text: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    if text.allSatisfy({ $0 < 0x80 }) {
      for byte in text { result.append(byte &- 65 < 26 ? byte | 0x20 : byte) }
      return result
    }
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      for upper in scalar.properties.uppercaseMapping.unicodeScalars {
        result += upper.properties.lowercaseMapping.utf8
      }
    }
    return result
  }
}
