/// Makes the terms of a bound filter from a normalised expression.
struct FilterBinder {
  var columns: [[UInt8]: PropertyColumn] = [:]
  /// The memory of the terms' cached answers, in bytes.
  private(set) var memoryTaken = 0
  /// The limit of `memoryTaken`. A filter can have many conditions, each with a byte for each of
  /// millions of strings. Conditions beyond the limit cache nothing and are slower.
  private static let memoryLimit = 16 << 20

  private typealias Operand = FilterExpression.Operand
  private typealias Comparison = FilterExpression.Comparison

  mutating func term(_ expression: FilterExpression) -> any FilterTerm {
    switch expression {
    case .literal(let value): ConstantTerm(value: value)
    case .and(let parts): joined(parts, isAnd: true)
    case .or(let parts): joined(parts, isAnd: false)
    case .comparison(let left, let comparison, let right): compared(left, comparison, right)
    case .between(let value, let low, let high): range(value, low, high, isNegated: false)
    case .not(.between(let value, let low, let high)): range(value, low, high, isNegated: true)
    case .inList(let value, let list): listed(value, list)
    case .not(.inList(let value, let list)): unlisted(value, list)
    case .like(let value, let pattern): like(value, pattern, isNegated: false)
    case .not(.like(let value, let pattern)): like(value, pattern, isNegated: true)
    case .isNull(let value): null(value, isNegated: false)
    case .not(.isNull(let value)): null(value, isNegated: true)
    case .not: preconditionFailure("NOT is only applied to conditions in a normalised expression")
    }
  }

  private mutating func joined(_ parts: [FilterExpression], isAnd: Bool) -> any FilterTerm {
    joined(parts.map { term($0) }, isAnd: isAnd)
  }

  /// Joins terms by AND or OR, cheap ones first.
  private func joined(_ terms: [any FilterTerm], isAnd: Bool) -> any FilterTerm {
    var rest: [any FilterTerm] = []
    for term in terms {
      guard let constant = term as? ConstantTerm else {
        rest.append(term)
        continue
      }
      if constant.value != isAnd { return constant }
    }
    if rest.isEmpty { return ConstantTerm(value: isAnd) }
    if rest.count == 1 { return rest[0] }
    let sorted = rest.filter { !isSlow($0) } + rest.filter { isSlow($0) }
    return isAnd ? AndTerm(terms: sorted) : OrTerm(terms: sorted)
  }

  private func isSlow(_ term: any FilterTerm) -> Bool {
    term is EntryTerm || term is PairTerm || term is AndTerm || term is OrTerm
  }

  private func column(_ operand: Operand) -> PropertyColumn? {
    guard case .property(let name) = operand else { return nil }
    return columns[name]
  }

  private mutating func compared(
    _ left: Operand, _ comparison: Comparison, _ right: Operand
  ) -> any FilterTerm {
    guard let column = column(left) else { return ConstantTerm(value: false) }
    switch right {
    case .property:
      guard let other = self.column(right), !column.isAllMissing, !other.isAllMissing else {
        return ConstantTerm(value: false)
      }
      return PairTerm(left: column, comparison: comparison, right: other)
    case .number(let value): return number(column, comparison, value)
    case .string(let text): return string(column, comparison, text)
    case .bool(let value):
      let terms = [false, true].filter {
        comparison.holds(($0 ? 1 : 0) - (value ? 1 : 0))
      }.map { code(column, $0 ? PropertyColumn.true : PropertyColumn.false) }
      return joined(terms, isAnd: false)
    }
  }

  private func number(
    _ column: PropertyColumn, _ comparison: Comparison, _ value: Double
  ) -> any FilterTerm {
    guard column.hasNumbers else { return ConstantTerm(value: false) }
    let (low, high) =
      switch comparison {
      case .equal, .notEqual: (value, value)
      case .less: (-Double.infinity, value.nextDown)
      case .lessOrEqual: (-Double.infinity, value)
      case .greater: (value.nextUp, Double.infinity)
      case .greaterOrEqual: (value, Double.infinity)
      }
    if comparison == .notEqual {
      return NumberOutsideTerm(column: column, low: low, high: high)
    }
    return NumberTerm(column: column, low: low, high: high)
  }

  private mutating func string(
    _ column: PropertyColumn, _ comparison: Comparison, _ text: [UInt8]
  ) -> any FilterTerm {
    let code = column.code(ofString: text)
    switch comparison {
    case .equal:
      return code.map { self.code(column, $0) } ?? ConstantTerm(value: false)
    case .notEqual:
      return entries(column, .entries(code.map { [$0] } ?? [], isNegated: true))
    default: return entries(column, .comparison(comparison, text))
    }
  }

  private func code(_ column: PropertyColumn, _ code: PropertyColumn.Code) -> any FilterTerm {
    guard column.hasCodes else { return ConstantTerm(value: false) }
    return CodeTerm(column: column, code: code)
  }

  private mutating func entries(
    _ column: PropertyColumn, _ condition: StringCondition
  ) -> any FilterTerm {
    guard column.hasCodes, column.entryCount > 0 else {
      return ConstantTerm(value: false)
    }
    let size = Int(PropertyColumn.firstEntry) + column.entryCount
    var answers: EntryAnswers?
    if memoryTaken + size <= FilterBinder.memoryLimit {
      answers = EntryAnswers(count: size)
      memoryTaken += size
    }
    return EntryTerm(column: column, condition: condition, answers: answers)
  }

  private func range(
    _ value: Operand, _ low: Operand, _ high: Operand, isNegated: Bool
  ) -> any FilterTerm {
    guard let column = column(value), column.hasNumbers, case .number(let from) = low,
      case .number(let to) = high
    else { return ConstantTerm(value: false) }
    if isNegated { return NumberOutsideTerm(column: column, low: from, high: to) }
    return NumberTerm(column: column, low: from, high: to)
  }

  private mutating func listed(_ value: Operand, _ list: [Operand]) -> any FilterTerm {
    guard let column = column(value) else { return ConstantTerm(value: false) }
    let literals = Literals(list)
    var terms: [any FilterTerm] = literals.bools.map {
      code(column, $0 ? PropertyColumn.true : PropertyColumn.false)
    }
    if literals.numbers.count == 1 {
      terms.append(number(column, .equal, literals.numbers[0]))
    } else if column.hasNumbers, !literals.numbers.isEmpty {
      terms.append(
        NumberSetTerm(column: column, sorted: literals.numbers.sorted(), isNegated: false))
    }
    let codes = literals.strings.compactMap { column.code(ofString: $0) }
    if codes.count <= 2 {
      terms += codes.map { code(column, $0) }
    } else {
      terms.append(entries(column, .entries(codes.sorted(), isNegated: false)))
    }
    return joined(terms, isAnd: false)
  }

  private mutating func unlisted(_ value: Operand, _ list: [Operand]) -> any FilterTerm {
    guard let column = column(value) else { return ConstantTerm(value: false) }
    let literals = Literals(list)
    // A comparison with a literal of another type is unknown.
    guard literals.types == 1 else { return ConstantTerm(value: false) }
    if !literals.bools.isEmpty {
      let others = [false, true].filter { !literals.bools.contains($0) }
      return joined(
        others.map { code(column, $0 ? PropertyColumn.true : PropertyColumn.false) },
        isAnd: false)
    }
    if !literals.numbers.isEmpty {
      guard column.hasNumbers else { return ConstantTerm(value: false) }
      return NumberSetTerm(
        column: column, sorted: literals.numbers.sorted(), isNegated: true)
    }
    let codes = literals.strings.compactMap { column.code(ofString: $0) }
    return entries(column, .entries(codes.sorted(), isNegated: true))
  }

  private mutating func like(
    _ value: Operand, _ pattern: LikePattern, isNegated: Bool
  ) -> any FilterTerm {
    guard let column = column(value) else { return ConstantTerm(value: false) }
    return entries(column, .like(pattern, isNegated: isNegated))
  }

  private func null(_ value: Operand, isNegated: Bool) -> any FilterTerm {
    guard let column = column(value) else { return ConstantTerm(value: isNegated) }
    if column.isAllMissing { return ConstantTerm(value: !isNegated) }
    return NullTerm(column: column, isNegated: isNegated)
  }

  /// The literals of a list, by type.
  private struct Literals {
    var numbers: [Double] = []
    var strings: [[UInt8]] = []
    var bools: Set<Bool> = []

    init(_ list: [Operand]) {
      for operand in list {
        switch operand {
        case .number(let value): numbers.append(value)
        case .string(let text): strings.append(text)
        case .bool(let value): bools.insert(value)
        case .property: break  // never in a normalised list
        }
      }
    }

    var types: Int {
      (numbers.isEmpty ? 0 : 1) + (strings.isEmpty ? 0 : 1) + (bools.isEmpty ? 0 : 1)
    }
  }
}
