internal import ClusterCore
internal import Texts

extension CQL2Parser {
  /// An operand of a comparison.
  mutating func operand(_ what: String) throws(CQL2Error) -> FilterExpression.Operand {
    let first = token
    guard case .operand(let value, _) = try sum(what) else {
      throw tokenizer.failure(at: first.start, "expected \(what), found a condition")
    }
    return value
  }

  /// Numbers that are added and subtracted, or anything else without an operator.
  mutating func sum(_ what: String) throws(CQL2Error) -> Part {
    try chain(what, of: CQL2Parser.sums) { (parser, what) throws(CQL2Error) in
      try parser.chain(what, of: CQL2Parser.products) {
        (parser, what) throws(CQL2Error) in try parser.power(what)
      }
    }
  }

  private static let sums: [Arithmetic] = [.add, .subtract]
  private static let products: [Arithmetic] = [.multiply, .divide, .remainder, .quotient]

  private mutating func power(_ what: String) throws(CQL2Error) -> Part {
    let (first, left) = (token, try signed(what))
    guard token.kind == .arithmetic(.power), case .operand(let base, _) = left else { return left }
    try advance()
    return try applied(.power, base, try signed("a value"), first)
  }

  /// Operands between operators of the same rank.
  private mutating func chain(
    _ what: String, of operations: [Arithmetic],
    _ part: (inout CQL2Parser, String) throws(CQL2Error) -> Part
  ) throws(CQL2Error) -> Part {
    let first = token
    var left = try part(&self, what)
    while case .operand(let value, _) = left, let operation, operations.contains(operation) {
      try advance()
      left = try applied(operation, value, try part(&self, "a value"), first)
    }
    return left
  }

  /// The operator that the current token is, other than that of powers.
  private var operation: Arithmetic? {
    switch token.kind {
    case .arithmetic(let operation): operation
    case .name(let name) where String(decoding: name, as: UTF8.self).isSameField(as: "div"):
      .quotient
    default: nil
    }
  }

  private mutating func applied(
    _ operation: Arithmetic, _ left: FilterExpression.Operand, _ right: Part, _ first: CQL2Token
  ) throws(CQL2Error) -> Part {
    try countOperation()
    guard case .operand(let right, _) = right else {
      throw tokenizer.failure(at: first.start, "conditions cannot be calculated with")
    }
    return .operand(.arithmetic(operation, left, right), first)
  }

  private mutating func signed(_ what: String) throws(CQL2Error) -> Part {
    let first = token
    guard token.kind == .arithmetic(.subtract) else { return try primary(what) }
    try advance()
    return try applied(.multiply, .number(-1), try primary("a value"), first)
  }

  /// A name, a literal, a function, or anything in parentheses.
  private mutating func primary(_ what: String) throws(CQL2Error) -> Part {
    let first = token
    let result: FilterExpression.Operand
    switch token.kind {
    case .leftParenthesis: return try group()
    case .name(let name):
      try advance()
      if token.kind == .leftParenthesis { return try call(name, first) }
      return .operand(.property(name), first)
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
    return .operand(result, first)
  }

  /// Parses a call of a function, at the parenthesis after its name.
  private mutating func call(_ name: [UInt8], _ first: CQL2Token) throws(CQL2Error) -> Part {
    guard let function = CQL2Function(name) else { throw self.function(name, first.start) }
    switch function {
    case .folding(let folding):
      let inner = try nested { (parser) throws(CQL2Error) in
        try parser.advance()
        return try parser.operand("a value")
      }
      try expect(.rightParenthesis, ")")
      return .operand(.folded(folding, inner), first)
    case .date, .timestamp:
      try advance()
      let time = try time(isDate: function == .date)
      try expect(.rightParenthesis, ")")
      return .operand(.time(time), first)
    case .temporal(let relation):
      try advance()
      let left = try span()
      try expect(.comma, "a comma")
      let right = try span()
      try expect(.rightParenthesis, ")")
      return .condition(.temporal(relation, left, right))
    case .spatial(let isNegated):
      try advance()
      let condition = try shapes(first)
      return .condition(isNegated ? .not(condition) : condition)
    case .distance:
      try advance()
      return .condition(try disc())
    case .interval:
      throw tokenizer.failure(
        at: first.start, "an INTERVAL is an argument of temporal functions (T_…) only")
    case .geometry:
      throw tokenizer.failure(
        at: first.start, "a geometry is an argument of spatial functions (S_…) only")
    }
  }

  /// Skips a token that must be the next.
  mutating func expect(_ kind: CQL2Token.Kind, _ what: String) throws(CQL2Error) {
    guard token.kind == kind else { throw unexpected(what) }
    try advance()
  }
}
