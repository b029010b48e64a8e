internal import ClusterCore

extension CQL2Parser {
  /// An operand and its predicate, or TRUE or FALSE alone.
  mutating func predicate() throws(CQL2Error) -> FilterExpression {
    let first = token
    let value = try operand("a condition")
    if case .comparison(let sign) = token.kind {
      try advance()
      return .comparison(value, comparison(sign), try operand("a value"))
    }
    if try skip(.is) {
      let isNegated = try skip(.not)
      guard try skip(.null) else { throw unexpected(isNegated ? "NULL" : "NULL or NOT NULL") }
      return negated(isNegated, .isNull(value))
    }
    let isNegated = try skip(.not)
    if try skip(.between) {
      let low = try operand("a value")
      guard try skip(.and) else { throw unexpected("AND and the upper value of BETWEEN") }
      return negated(isNegated, .between(value, low, try operand("a value")))
    }
    if try skip(.in) { return negated(isNegated, .inList(value, try list())) }
    if try skip(.like) { return negated(isNegated, .like(value, try pattern())) }
    if isNegated { throw unexpected("BETWEEN, IN or LIKE") }
    if case .bool(let literal) = value { return .literal(literal) }
    throw incomplete(value, first)
  }

  private func negated(_ isNegated: Bool, _ inner: FilterExpression) -> FilterExpression {
    isNegated ? .not(inner) : inner
  }

  private func comparison(_ sign: String) -> FilterExpression.Comparison {
    switch sign {
    case "=": .equal
    case "<>": .notEqual
    case "<": .less
    case "<=": .lessOrEqual
    case ">": .greater
    default: .greaterOrEqual
    }
  }

  /// A name or a literal.
  private mutating func operand(_ what: String) throws(CQL2Error) -> FilterExpression.Operand {
    let result: FilterExpression.Operand
    switch token.kind {
    case .name(let name):
      let start = token.start
      try advance()
      if token.kind == .leftParenthesis { throw function(name, start) }
      return .property(name)
    case .quotedName(let name): result = .property(name)
    case .string(let text): result = .string(text)
    case .number(let value): result = .number(value)
    case .keyword(.true): result = .bool(true)
    case .keyword(.false): result = .bool(false)
    case .keyword(.null):
      throw failure("values cannot be compared with NULL; write IS NULL or IS NOT NULL")
    default: throw unexpected(what)
    }
    try advance()
    return result
  }

  private mutating func list() throws(CQL2Error) -> [FilterExpression.Operand] {
    guard token.kind == .leftParenthesis else { throw unexpected("( and the values of IN") }
    var values: [FilterExpression.Operand] = []
    repeat {
      try advance()
      values.append(try operand("a value"))
    } while token.kind == .comma
    guard token.kind == .rightParenthesis else { throw unexpected("a comma or )") }
    try advance()
    return values
  }

  private mutating func pattern() throws(CQL2Error) -> LikePattern {
    guard case .string(let text) = token.kind else {
      if case .quotedName = token.kind {
        throw failure("the pattern of LIKE must be a string in single quotes; this is a name")
      }
      throw unexpected("a pattern in single quotes")
    }
    guard text.count <= LikePattern.maximumLength else {
      throw .tooLarge(
        detail: "a pattern of LIKE has \(text.count) bytes; at most "
          + "\(LikePattern.maximumLength) are accepted")
    }
    guard let pattern = LikePattern(text) else {
      throw failure(
        #"the pattern ends with \, which escapes the next character; write \\ for a backslash"#)
    }
    try advance()
    return pattern
  }
}
