internal import ClusterCore

/// Parses a filter by recursive descent. Only parentheses, functions and NOT recurse.
struct CQL2Parser {
  private(set) var tokenizer: CQL2Tokenizer
  private(set) var token = CQL2Token(kind: .end, start: 0)
  private var depth = 0
  private var operations = 0

  /// Whether the text is in the language of drafts; see ``CQL2/normal(_:ofDraft:)``.
  let isDraft: Bool

  init(_ text: [UInt8], isDraft: Bool = false) {
    tokenizer = CQL2Tokenizer(text)
    self.isDraft = isDraft
  }

  /// A parsed part of a filter.
  enum Part {
    case condition(FilterExpression)
    /// An operand that isn't a condition by itself, and where it begins.
    case operand(FilterExpression.Operand, CQL2Token)
  }

  mutating func expression() throws(CQL2Error) -> FilterExpression {
    try advance()
    let result = try condition(try disjunction())
    if token.kind == .end { return result }
    throw unexpected("AND, OR or the end")
  }

  private func condition(_ part: Part) throws(CQL2Error) -> FilterExpression {
    switch part {
    case .condition(let condition): return condition
    case .operand(let value, let first): throw incomplete(value, first)
    }
  }

  mutating func advance() throws(CQL2Error) { token = try tokenizer.next() }

  /// Skips a keyword if it is the next token. Returns whether it was.
  mutating func skip(_ keyword: CQL2Token.Keyword) throws(CQL2Error) -> Bool {
    guard token.kind == .keyword(keyword) else { return false }
    try advance()
    return true
  }

  private mutating func disjunction() throws(CQL2Error) -> Part {
    let first = try conjunction()
    guard token.kind == .keyword(.or) else { return first }
    var parts = [try condition(first)]
    while try skip(.or) { parts.append(try condition(try conjunction())) }
    return .condition(.or(parts))
  }

  private mutating func conjunction() throws(CQL2Error) -> Part {
    let first = try factor()
    guard token.kind == .keyword(.and) else { return first }
    var parts = [try condition(first)]
    while try skip(.and) { parts.append(try condition(try factor())) }
    return .condition(.and(parts))
  }

  private mutating func factor() throws(CQL2Error) -> Part {
    guard token.kind == .keyword(.not) else { return try predicate() }
    try descend()
    try advance()
    let inner = try condition(try factor())
    depth -= 1
    return .condition(isDraft ? CQL2Parser.complement(inner) : .not(inner))
  }

  /// The negation of a condition of a draft. A number that may be true or false, too, is a comparison with each, of which one is
  /// unknown; so each is negated by itself.
  private static func complement(_ condition: FilterExpression) -> FilterExpression {
    switch condition {
    case .and(let parts): .or(parts.map(complement))
    case .or(let parts): complement(ofEither: parts)
    case .not(let inner): inner
    default: .not(condition)
    }
  }

  private static func complement(ofEither parts: [FilterExpression]) -> FilterExpression {
    let complements = parts.map(complement)
    return isBool(parts) || isBool(complements) ? .or(complements) : .and(complements)
  }

  /// Whether conditions compare one property with a number and with the truth value in its place.
  private static func isBool(_ parts: [FilterExpression]) -> Bool {
    guard parts.count == 2,
      case .comparison(.property(let name), let sign, .number(let number)) = parts[0]
    else { return false }
    return parts[1] == .comparison(.property(name), sign, .bool(number == 1))
      && (number == 0 || number == 1)
  }

  /// Parses the part between the parenthesis at the current token and its counterpart.
  mutating func group() throws(CQL2Error) -> Part {
    try descend()
    let first = token
    try advance()
    let inner = try disjunction()
    guard token.kind == .rightParenthesis else {
      throw unexpected(
        "AND, OR or ) for the ( at character \(tokenizer.character(at: first.start))")
    }
    try advance()
    depth -= 1
    guard case .operand(let value, _) = inner else { return inner }
    return .operand(value, first)
  }

  /// Whether the current token is within parentheses.
  var isNested: Bool { depth > 0 }

  /// Counts an operation on numbers.
  mutating func countOperation() throws(CQL2Error) {
    operations += 1
    guard operations <= FilterExpression.maximumOperations else {
      throw .tooLarge(
        detail: "the filter has more than \(FilterExpression.maximumOperations) operations on "
          + "numbers")
    }
  }

  /// Runs a body for the part nested in the current token.
  mutating func nested<R>(
    _ body: (inout CQL2Parser) throws(CQL2Error) -> R
  ) throws(CQL2Error) -> R {
    try descend()
    let result = try body(&self)
    depth -= 1
    return result
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
