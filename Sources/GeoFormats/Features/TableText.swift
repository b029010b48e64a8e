internal import Texts

/// Texts of a table, as messages show them.
enum TableText {
  /// The most characters of a value or name that are shown.
  static let most = 80

  /// A value or name in quotes, cut and without control characters.
  static func quoted(_ bytes: some Collection<UInt8>) -> String {
    // No character takes more than four bytes.
    let text = String(decoding: bytes.prefix(most * 4 + 4), as: UTF8.self)
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(most) {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      shown.append(isControl ? " " : scalar)
    }
    let isCut = text.unicodeScalars.count > most
    return "\"\(String(shown))\(isCut ? "…" : "")\""
  }

  /// Names with commas between them, no more than some.
  static func listed<Item>(
    _ items: [Item], atMost most: Int, _ shown: (Item) -> String
  ) -> String {
    let rest = items.count - most
    return items.prefix(most).map(shown).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Whether bytes can be text in Windows-1252, which leaves out five.
  static func isWindows1252(_ bytes: some Sequence<UInt8>) -> Bool {
    !bytes.contains { [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }
  }
}
