internal import ClusterCore

extension CQL2Parser {
  func failure(_ detail: String) -> CQL2Error { tokenizer.failure(at: token.start, detail) }

  /// A failure because something else was expected at the current token.
  func unexpected(_ expected: String) -> CQL2Error {
    var hint = ""
    switch token.kind {
    case .keyword(let keyword):
      hint = "; a property of that name is written \"\(keyword.rawValue)\""
    case .unsupported(let sign): hint = CQL2Parser.hint(sign)
    case .name(let word) where CQL2Function.isCaselessLike(word):
      hint = "; \(CQL2Function.caselessHint)"
    default: break
    }
    return failure("expected \(expected), found \(CQL2Parser.describe(token.kind))\(hint)")
  }

  /// A failure because no predicate follows an operand.
  func incomplete(_ value: FilterExpression.Operand, _ first: CQL2Token) -> CQL2Error {
    let expected = "=, <>, <, <=, >, >=, IN, BETWEEN, LIKE or IS"
    guard case .property = value else { return unexpected(expected + " after the value") }
    switch token.kind {
    case .end, .rightParenthesis, .keyword(.and), .keyword(.or):
      return tokenizer.failure(
        at: first.start,
        "\(CQL2Parser.describe(first.kind)) alone is not a condition; "
          + "for a boolean property, write = TRUE")
    default: return unexpected(expected + " after the property")
    }
  }

  /// A failure because of what looks like a function call.
  func function(_ name: [UInt8], _ start: Int) -> CQL2Error {
    if CQL2Function.isCaselessLike(name) {
      return tokenizer.failure(at: start, "there is no ILIKE; \(CQL2Function.caselessHint)")
    }
    return tokenizer.failure(
      at: start,
      "“\(CQL2Parser.shown(name))(” looks like a function, but none of that name is known here; there "
        + "are CASEI, ACCENTI, DATE, TIMESTAMP, INTERVAL, T_…, S_INTERSECTS, S_DISJOINT and S_DWITHIN"
    )
  }

  private static func hint(_ sign: String) -> String {
    switch sign {  // Characters: one sign, for a hint
    case "‘", "’", "“", "”", "`", "´":
      "; strings need straight single quotes ('), names straight double quotes"
    case "[", "]", "{", "}": "; the values of IN go in parentheses"
    default: ""
    }
  }

  static func describe(_ kind: CQL2Token.Kind) -> String {
    switch kind {
    case .name(let name), .quotedName(let name): "the property “\(shown(name))”"
    case .string(let text): "the string '\(shown(text))'"
    case .number(let value):
      "the number " + (Int(exactly: value).map { String($0) } ?? String(value))
    case .keyword(let keyword): keyword.rawValue.uppercased()  // Characters: words of the language
    case .comparison(let sign), .unsupported(let sign): "“\(sign)”"
    case .arithmetic(let operation): "“\(operation.rawValue)”"
    case .leftParenthesis: "“(”"
    case .rightParenthesis: "“)”"
    case .comma: "a comma"
    case .end: "the end"
    }
  }

  /// A text, cut off if it is long.
  private static func shown(_ text: [UInt8]) -> String {
    let whole = String(decoding: text.prefix(200), as: UTF8.self)
    let scalars = whole.unicodeScalars
    return scalars.count > 40 ? String(scalars.prefix(40)) + "…" : whole
  }
}
