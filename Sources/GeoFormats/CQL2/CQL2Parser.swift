internal import ClusterCore

/// Parses a filter by recursive descent. Only parentheses and NOT recurse.
struct CQL2Parser {
  private(set) var tokenizer: CQL2Tokenizer
  private(set) var token = CQL2Token(kind: .end, start: 0)
  private var depth = 0

  init(_ text: [UInt8]) { tokenizer = CQL2Tokenizer(text) }

  mutating func expression() throws(CQL2Error) -> FilterExpression {
    try advance()
    let result = try disjunction()
    if token.kind == .end { return result }
    throw unexpected("AND, OR or the end")
  }

  mutating func advance() throws(CQL2Error) { token = try tokenizer.next() }

  /// Skips a keyword if it is the next token. Returns whether it was.
  mutating func skip(_ keyword: CQL2Token.Keyword) throws(CQL2Error) -> Bool {
    guard token.kind == .keyword(keyword) else { return false }
    try advance()
    return true
  }

  private mutating func disjunction() throws(CQL2Error) -> FilterExpression {
    var parts = [try conjunction()]
    while try skip(.or) { parts.append(try conjunction()) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction() throws(CQL2Error) -> FilterExpression {
    var parts = [try factor()]
    while try skip(.and) { parts.append(try factor()) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func factor() throws(CQL2Error) -> FilterExpression {
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
        throw unexpected("AND, OR or ) for the ( at character \(tokenizer.character(at: start))")
      }
      try advance()
      depth -= 1
      return inner
    default: return try predicate()
    }
  }

  private mutating func descend() throws(CQL2Error) {
    depth += 1
    guard depth <= FilterExpression.maximumDepth else {
      throw .tooDeep(
        detail: "the filter is nested deeper than \(FilterExpression.maximumDepth) at character "
          + "\(tokenizer.character(at: token.start)); remove superfluous parentheses and NOTs")
    }
  }
}
