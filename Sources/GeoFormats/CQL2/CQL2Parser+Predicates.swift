internal import ClusterCore

extension CQL2Parser {
  /// An operand and its predicate, TRUE or FALSE alone, or an operand in parentheses.
  mutating func predicate() throws(CQL2Error) -> Part {
    let first = token
    let part = try sum("a condition")
    guard case .operand(let value, _) = part else { return part }
    let isNegated: Bool
    if case .comparison(let sign) = token.kind, let sign = CQL2JSONReader.comparisons[sign] {
      try advance()
      return .condition(compared(value, sign, try operand("a value")))
    }
    if try skip(.is) {
      isNegated = try skip(.not)
      guard try skip(.null) else { throw unexpected(isNegated ? "NULL" : "NULL or NOT NULL") }
      return negated(isNegated, .isNull(value))
    }
    isNegated = try skip(.not)
    if try skip(.between) {
      let low = try operand("a value")
      guard try skip(.and) else { throw unexpected("AND and the upper value of BETWEEN") }
      return negated(isNegated, .between(value, low, try operand("a value")))
    }
    if try skip(.in) { return negated(isNegated, .inList(value, try list())) }
    if try skip(.like) { return negated(isNegated, .like(value, try pattern())) }
    if isDraft, case .name(let name) = token.kind, CQL2Function.isCaselessLike(name) {
      try advance()
      return negated(isNegated, .like(.folded(.casing, value), try plainPattern(.casing)))
    }
    if isNegated { throw unexpected("BETWEEN, IN or LIKE") }
    if case .bool(let literal) = value { return .condition(.literal(literal)) }
    if isNested, token.kind == .rightParenthesis { return .operand(value, first) }
    throw incomplete(value, first)
  }

  private func negated(_ isNegated: Bool, _ inner: FilterExpression) -> Part {
    .condition(isNegated ? .not(inner) : inner)
  }

  /// A comparison. In drafts a text may be a time, and a number true or false.
  private func compared(
    _ value: FilterExpression.Operand, _ sign: FilterExpression.Comparison,
    _ other: FilterExpression.Operand
  ) -> FilterExpression {
    let plain = FilterExpression.comparison(value, sign, other)
    guard isDraft, case .property = value else { return plain }
    switch other {
    case .string(let text):
      // GDAL leaves a T behind a date.
      let isDate = text.count == DateTime.dateLength + 1 && text.last == UInt8(ascii: "T")
      guard text.count > DateTime.dateLength,
        let time = DateTime.extent(isDate ? Array(text.dropLast()) : text)
      else { return plain }
      return .comparison(value, sign, .time(time))
    case .number(let number) where number == 0 || number == 1:
      guard sign == .equal || sign == .notEqual else { return plain }
      return .or([plain, .comparison(value, sign, .bool(number == 1))])
    default: return plain
    }
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
    var (folding, depth): (TextFolding, Int) = ([], 0)
    while case .name(let name) = token.kind, case .folding(let one) = CQL2Function(name) {
      try advance()
      try expect(.leftParenthesis, "( and the pattern")
      folding.formUnion(one)
      depth += 1
    }
    let pattern = try plainPattern(folding)
    for _ in 0..<depth { try expect(.rightParenthesis, ")") }
    return pattern
  }

  private mutating func plainPattern(_ folding: TextFolding) throws(CQL2Error) -> LikePattern {
    guard case .string(let text) = token.kind else {
      if case .quotedName = token.kind {
        throw failure("the pattern of LIKE must be a string in single quotes; this is a name")
      }
      throw unexpected("a pattern in single quotes")
    }
    let pattern = try LikePattern(checking: text, folding, failure: failure)
    try advance()
    return pattern
  }
}

extension LikePattern {
  /// Creates a pattern.
  ///
  /// - Parameter failure: makes the error of its syntax.
  init(
    checking text: [UInt8], _ folding: TextFolding, failure: (String) -> CQL2Error
  ) throws(CQL2Error) {
    let folded = folding.fold(text)
    guard folded.count <= LikePattern.maximumLength else {
      throw .tooLarge(
        detail: "a pattern of LIKE has \(folded.count) bytes; at most "
          + "\(LikePattern.maximumLength) are accepted")
    }
    guard let pattern = LikePattern(folded) else {
      throw failure(
        #"the pattern ends with \, which escapes the next character; write \\ for a backslash"#)
    }
    self = pattern
  }
}
