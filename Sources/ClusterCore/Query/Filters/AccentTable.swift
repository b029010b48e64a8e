/// Letters with diacritics, and the same letters without.
enum AccentTable {
  /// The UTF-8 of a scalar without diacritics; nil if it has none. Nonspacing marks aren't listed. O(1)
  static subscript(scalar: Unicode.Scalar) -> [UInt8]? { letters[scalar] }

  private static let letters: [Unicode.Scalar: [UInt8]] = {
    var letters: [Unicode.Scalar: [UInt8]] = [:]
    for group in groups.utf8.split(separator: UInt8(ascii: " ")) {
      let base = group.prefix { $0 != UInt8(ascii: ":") }
      for scalar in Substring(group.dropFirst(base.count + 1)).unicodeScalars {
        letters[scalar] = Array(base)
      }
    }
    return letters
  }()
}
