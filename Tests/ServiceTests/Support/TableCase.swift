/// A table as people have it, and what becomes of it.
struct TableCase {
  /// What comes of reading it.
  enum Outcome {
    /// The features by id: coordinates, a space, and properties.
    case features([String], notes: [String] = [])
    /// Bad features, or a table that can't be read: what the error says.
    case refused([String])
  }

  var name: String
  var bytes: [UInt8]
  /// The parameters, which are flags of the same names.
  var options: [(String, String)] = []
  var outcome: Outcome

  init(
    _ name: String, _ text: String, _ options: [(String, String)], _ features: [String],
    notes: [String] = []
  ) {
    self.init(name, Array(text.utf8), options, .features(features, notes: notes))
  }

  init(_ name: String, _ text: String, _ features: [String], notes: [String] = []) {
    self.init(name, text, [], features, notes: notes)
  }

  init(_ name: String, _ text: String, _ options: [(String, String)] = [], refused: String...) {
    self.init(name, Array(text.utf8), options, .refused(refused))
  }

  init(_ name: String, _ bytes: [UInt8], _ outcome: Outcome) {
    self.init(name, bytes, [], outcome)
  }

  init(_ name: String, _ bytes: [UInt8], _ options: [(String, String)], _ outcome: Outcome) {
    (self.name, self.bytes, self.options, self.outcome) = (name, bytes, options, outcome)
  }

  /// Text in Windows-1252, as far as the tests need it.
  static func windows1252(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "€": 0x80
      case "–": 0x96
      default: UInt8(truncatingIfNeeded: scalar.value)
      }
    }
  }

  /// Text in UTF-16 with a byte order mark.
  static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBig ? [high, low] : [low, high]
    }
  }
}
