/// A word of a filter.
struct CQL2Token {
  enum Kind: Equatable {
    /// A name without quotes that is no keyword, in UTF-8.
    case name([UInt8])
    /// A name in double quotes.
    case quotedName([UInt8])
    case string([UInt8])
    case number(Double)
    case keyword(CQL2Keyword)
    /// `=`, `<>`, `<`, `<=`, `>`, `>=`
    case comparison(String)
    case leftParenthesis, rightParenthesis, comma
    /// What CQL2 has and this doesn't, such as `+`; or what it hasn't.
    case unsupported(String)
    case end
  }

  var kind: Kind
  /// Where it begins, in bytes.
  var start: Int
}

/// Words that are no names unless they are in double quotes. They may be in any case.
enum CQL2Keyword: String, CaseIterable {
  case and, or, not, `in`, between, like, `is`, null, `true`, `false`

  /// The keyword that a word is.
  init?(_ word: [UInt8]) {
    guard word.count <= 7 else { return nil }
    self.init(rawValue: String(decoding: word, as: UTF8.self).lowercased())
  }

  /// As it is usually written.
  var text: String { rawValue.uppercased() }
}
