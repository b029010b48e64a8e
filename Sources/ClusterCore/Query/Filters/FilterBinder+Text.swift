extension FilterBinder {
  /// The term of a comparison of strings without some differences.
  mutating func folded(
    _ left: Operand, _ comparison: Comparison, _ right: Operand
  ) -> any FilterTerm {
    guard case .string(let text) = right, case .folded(let folding, let property) = left else {
      let (a, b) = (column(left.unfolded), column(right.unfolded))
      if a.isAllMissing || b.isAllMissing { return ConstantTerm(value: false) }
      return PairTerm(
        left: a, comparison: comparison, right: b, folding: (left.folding, right.folding))
    }
    return entries(column(property), .comparison(comparison, text), folding)
  }

  /// The term of a list of strings without some differences.
  mutating func folded(
    _ column: PropertyColumn, _ folding: TextFolding, _ list: [Operand], isNegated: Bool
  ) -> any FilterTerm {
    let texts = list.compactMap { operand -> [UInt8]? in
      if case .string(let text) = operand { text } else { nil }
    }
    return entries(column, .texts(Set(texts), isNegated: isNegated), folding)
  }

  /// The term of IS NULL.
  mutating func null(_ value: Operand, isNegated: Bool) -> any FilterTerm {
    switch value {
    case .folded(_, let property):
      let isText = entries(column(property), .any)
      return isNegated ? isText : ComplementTerm(term: isText)
    case .arithmetic:
      let isNumber = KnownNumberTerm(number: number(value))
      return isNegated ? isNumber : ComplementTerm(term: isNumber)
    default:
      let column = column(value)
      if column.isAllMissing { return ConstantTerm(value: !isNegated) }
      return NullTerm(column: column, isNegated: isNegated)
    }
  }

  /// The number that an operand is, if it is one.
  func number(_ operand: Operand) -> NumberExpression {
    switch operand {
    case .number(let value): .constant(value)
    case .property: .column(column(operand))
    case .arithmetic(let operation, let a, let b): .operation(operation, number(a), number(b))
    case .string, .bool, .time, .folded: .constant(.nan)
    }
  }
}

extension FilterExpression.Operand {
  var isArithmetic: Bool { if case .arithmetic = self { true } else { false } }
  var isFolded: Bool { if case .folded = self { true } else { false } }
  /// The differences that a folded one is without.
  fileprivate var folding: TextFolding {
    if case .folded(let folding, _) = self { folding } else { [] }
  }
  /// The operand itself of a folded one.
  fileprivate var unfolded: Self { if case .folded(_, let inner) = self { inner } else { self } }
}
