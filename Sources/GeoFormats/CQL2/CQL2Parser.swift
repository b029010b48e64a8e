internal import ClusterCore

/// Parses a filter by recursive descent. Only parentheses and NOT recurse.
struct CQL2Parser {
  enum Failure: Error {
    /// A syntax error at a byte offset.
    case syntax(Int, String)
    case tooLarge(String)
    case tooDeep(String)
  }

  private var tokenizer: CQL2Tokenizer
  private(set) var token = CQL2Token(kind: .end, start: 0)
  private var depth = 0

  init(_ text: [UInt8]) { tokenizer = CQL2Tokenizer(text) }

  mutating func expression() throws(Failure) -> FilterExpression {
    try advance()
    let result = try disjunction()
    if token.kind == .end { return result }
    throw unexpected("AND, OR or the end")
  }

  mutating func advance() throws(Failure) { token = try tokenizer.next() }

  /// Skips a keyword if it is the next token. Returns whether it was.
  mutating func skip(_ keyword: CQL2Token.Keyword) throws(Failure) -> Bool {
    guard token.kind == .keyword(keyword) else { return false }
    try advance()
    return true
  }

  private mutating func disjunction() throws(Failure) -> FilterExpression {
    var parts = [try conjunction()]
    while try skip(.or) { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(Failure) -> FilterExpression {
    var parts = [try factor()]
    while try skip(.and) { parts.append(try factor()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func factor() throws(Failure) -> FilterExpression {
    switch token.kind {
    case .keyword(.not):
      try descend()
      try advance()
      let inner = try factor()
      depth -= 1
      return .not(inner)
    case .leftParenthesis:
      try descend()
      let start = token.start
      try advance()
      let inner = try disjunction()
      guard token.kind == .rightParenthesis else {
        throw unexpected("AND, OR or ) for the ( at character \(character(at: start))")
      }
      try advance()
      depth -= 1
      return inner
    default: return try predicate()
    }
  }

  private mutating func descend() throws(Failure) {
    depth += 1
    guard depth <= FilterExpression.maximumDepth else {
      throw .tooDeep(
        "the filter is nested deeper than \(FilterExpression.maximumDepth) at character "
          + "\(character(at: token.start)); remove superfluous parentheses and NOTs")
    }
  }

  private func character(at start: Int) -> Int { CQL2.character(at: start, of: tokenizer.text) }
}
