internal import ClusterCore

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
      guard word.count <= 7, let keyword = Keyword.byLetters[Keyword.letters(word)] else {
        return nil
      }
      self = keyword
    }

    /// Up to eight letters as one number, whatever their case. Nothing but letters gives those of a keyword.
    private static func letters(_ word: some Sequence<UInt8>) -> UInt64 {
      word.reduce(0) { $0 << 8 | UInt64($1 >= 0x41 && $1 <= 0x5A ? $1 | 0x20 : $1) }
    }

    private static let byLetters = Dictionary(
      uniqueKeysWithValues: allCases.map { (letters($0.rawValue.utf8), $0) })
  }
}
