internal import ClusterCore
internal import Texts

/// A token of a filter.
struct CQL2Token {
  enum Kind: Equatable {
    /// A name without quotes that is not a keyword, in UTF-8.
    case name([UInt8])
    case quotedName([UInt8])
    case string([UInt8])
    case number(Double)
    case keyword(Keyword)
    /// `=`, `<>`, `<`, `<=`, `>`, `>=`
    case comparison(String)
    case leftParenthesis, rightParenthesis, comma
    /// `+`, `-`, `*`, `/`, `%`, `^`
    case arithmetic(Arithmetic)
    /// A character that is not supported, such as `~`.
    case unsupported(String)
    case end
  }

  var kind: Kind
  var start: Int

  /// The reserved words, in any case. As names they need double quotes.
  enum Keyword: String, CaseIterable {
    case and, or, not, `in`, between, like, `is`, null, `true`, `false`

    /// The keyword that a word is; nil if it is none.
    init?(_ word: [UInt8]) {
      guard word.count <= 7 else { return nil }
      self.init(rawValue: String(decoding: word, as: UTF8.self).lowercasedASCII)
    }
  }
}
