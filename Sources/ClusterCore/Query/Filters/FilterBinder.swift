/// Makes the terms of a bound filter from a normalised expression.
struct FilterBinder {
  /// The index, whose places shapes are compared with.
  let index: FeatureIndex
  /// The columns of the expression.
  var columns: [ColumnName: PropertyColumn] = [:]
  /// The memory of the terms' cached answers, in bytes.
  var memoryTaken = 0
  /// The limit of `memoryTaken`. A filter can have many conditions, each with a byte for each of
  /// millions of strings. Conditions beyond the limit cache nothing and are slower.
  static let memoryLimit = 16 << 20

  typealias Operand = FilterExpression.Operand
  typealias Comparison = FilterExpression.Comparison

  mutating func term(_ expression: FilterExpression) -> any FilterTerm {
    switch expression {
    case .literal(let value): ConstantTerm(value: value)
    case .and(let parts): joined(parts.map { term($0) }, isAnd: true)
    case .or(let parts): joined(parts.map { term($0) }, isAnd: false)
    case .comparison(let left, let comparison, let right): compared(left, comparison, right)
    case .not(let condition): self.condition(condition, isNegated: true)
    default: condition(expression, isNegated: false)
    }
  }

  /// The term of a condition that a normalised expression may negate.
  private mutating func condition(
    _ condition: FilterExpression, isNegated: Bool
  ) -> any FilterTerm {
    switch condition {
    case .between(let value, .number(let low), .number(let high)):
      numbers(column(value), low, high, isNegated: isNegated)
    case .inList(.folded(let folding, let value), let list):
      folded(column(value), folding, list, isNegated: isNegated)
    case .inList(let value, let list): listed(column(value), list, isNegated: isNegated)
    case .like(.folded(let folding, let value), let pattern):
      entries(column(value), .like(pattern, isNegated: isNegated), folding)
    case .like(let value, let pattern):
      entries(column(value), .like(pattern, isNegated: isNegated))
    case .isNull(let value): null(value, isNegated: isNegated)
    case .temporal(let relation, let a, let b): temporal(relation, a, b, isNegated: isNegated)
    case .window(let property, let time):
      window(property, time, takesMissing: true, isNegated: isNegated)
    case .shape(let shape): self.shape(shape, isNegated: isNegated)
    default: preconditionFailure("a normalised expression has no other conditions")
    }
  }

  /// The column of the left operand of a condition, which is a property in a normalised expression.
  func column(_ operand: Operand) -> PropertyColumn {
    guard case .property(let name) = operand else {
      preconditionFailure("the left operand of a normalised condition is a property")
    }
    return column(ColumnName(name))
  }

  func column(_ name: ColumnName) -> PropertyColumn {
    guard let column = columns[name] else { preconditionFailure("each column is bound") }
    return column
  }

  /// Joins terms by AND or OR, cheap ones first.
  func joined(_ terms: [any FilterTerm], isAnd: Bool) -> any FilterTerm {
    let rest = terms.filter { $0.constant != isAnd }
    if let deciding = rest.first(where: { $0.constant != nil }) { return deciding }
    if rest.isEmpty { return ConstantTerm(value: isAnd) }
    if rest.count == 1 { return rest[0] }
    let sorted = rest.filter { !$0.isSlow } + rest.filter(\.isSlow)
    return isAnd ? AndTerm(terms: sorted) : OrTerm(terms: sorted)
  }

  private mutating func compared(
    _ left: Operand, _ comparison: Comparison, _ right: Operand
  ) -> any FilterTerm {
    if left.isArithmetic || right.isArithmetic {
      return ArithmeticTerm(left: number(left), comparison: comparison, right: number(right))
    }
    if left.isFolded || right.isFolded { return folded(left, comparison, right) }
    if case .time(let time) = right { return timed(left, comparison, time) }
    let column = self.column(left)
    switch right {
    case .property:
      let other = self.column(right)
      if column.isAllMissing || other.isAllMissing { return ConstantTerm(value: false) }
      return PairTerm(left: column, comparison: comparison, right: other)
    case .number(let value):
      return switch comparison {
      case .equal, .notEqual:
        numbers(column, value, value, isNegated: comparison == .notEqual)
      case .less: numbers(column, -.infinity, value.nextDown)
      case .lessOrEqual: numbers(column, -.infinity, value)
      case .greater: numbers(column, value.nextUp, .infinity)
      case .greaterOrEqual: numbers(column, value, .infinity)
      }
    case .string(let text):
      let codes = column.code(ofString: text).map { [$0] } ?? []
      return switch comparison {
      case .equal: joined(codes.map { code(column, $0) }, isAnd: false)
      case .notEqual: entries(column, .entries(codes, isNegated: true))
      default: entries(column, .comparison(comparison, text))
      }
    case .bool(let value):
      return joined(
        bools(column) { comparison.holds(($0 ? 1 : 0) - (value ? 1 : 0)) }, isAnd: false)
    case .time, .folded, .arithmetic: preconditionFailure("these are done above")
    }
  }

  private func numbers(
    _ column: PropertyColumn, _ low: Double, _ high: Double, isNegated: Bool = false
  ) -> any FilterTerm {
    guard column.hasNumbers else { return ConstantTerm(value: false) }
    return NumberTerm(column: column, low: low, high: high, isNegated: isNegated)
  }

  private func bools(
    _ column: PropertyColumn, where isIncluded: (Bool) -> Bool
  ) -> [any FilterTerm] {
    [false, true].filter(isIncluded).map {
      code(column, $0 ? PropertyColumn.true : PropertyColumn.false)
    }
  }

  private func code(_ column: PropertyColumn, _ code: PropertyColumn.Code) -> any FilterTerm {
    guard column.hasCodes else { return ConstantTerm(value: false) }
    return CodeTerm(column: column, code: code)
  }

  mutating func entries(
    _ column: PropertyColumn, _ condition: EntryTerm.Condition, _ folding: TextFolding = []
  ) -> any FilterTerm {
    guard column.hasCodes, column.entryCount > 0 else { return ConstantTerm(value: false) }
    let size = Int(PropertyColumn.firstEntry) + column.entryCount
    var answers: EntryTerm.Answers?
    if memoryTaken + size <= FilterBinder.memoryLimit {
      answers = EntryTerm.Answers(count: size)
      memoryTaken += size
    }
    return EntryTerm(column: column, condition: condition, folding: folding, answers: answers)
  }

  private mutating func listed(
    _ column: PropertyColumn, _ list: [Operand], isNegated: Bool
  ) -> any FilterTerm {
    var numbers: [Double] = []
    var texts: [[UInt8]] = []
    var bools: [Bool] = []
    for operand in list {
      switch operand {
      case .number(let value): numbers.append(value)
      case .string(let text): texts.append(text)
      case .bool(let value): bools.append(value)
      default: break  // never in a normalised list
      }
    }
    // A comparison with a literal of another type is unknown.
    if isNegated, ![numbers.count, texts.count, bools.count].contains(list.count) {
      return ConstantTerm(value: false)
    }
    var terms =
      bools.isEmpty ? [] : self.bools(column) { bools.contains($0) != isNegated }
    if numbers.count == 1 {
      terms.append(self.numbers(column, numbers[0], numbers[0], isNegated: isNegated))
    } else if column.hasNumbers, !numbers.isEmpty {
      terms.append(
        NumberSetTerm(column: column, sorted: numbers.sorted(), isNegated: isNegated))
    }
    let codes = texts.compactMap { column.code(ofString: $0) }.sorted()
    if isNegated ? !texts.isEmpty : codes.count > 2 {
      terms.append(entries(column, .entries(codes, isNegated: isNegated)))
    } else {
      terms += codes.map { code(column, $0) }
    }
    return joined(terms, isAnd: false)
  }
}
