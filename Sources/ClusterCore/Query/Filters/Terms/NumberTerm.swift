import CVectors
import Threading

/// True if the value is a number within a closed range, or with `isNegated` outside of it.
struct NumberTerm: FilterTerm {
  let column: PropertyColumn
  let low: Double
  let high: Double
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles[around: ordinal] else { return 0 }
    let (values, count) = (doubles + ordinal, candidates.extent)
    return candidates
      & (isNegated
        ? cvectors_apart(values, values, count, low, high)
        : cvectors_within(values, count, low, high))
  }

  func coverage(ofBlock number: Int) -> Coverage {
    let zone = column.zones.pointer[number]
    if zone.isEmpty { return .outside }
    // A condition that all numbers meet is met by all features if each has a number.
    if zone.least >= low && zone.greatest <= high {
      return isNegated ? .outside : zone.isNumeric ? .inside : .partial
    }
    if zone.greatest < low || zone.least > high {
      return isNegated ? zone.isNumeric ? .inside : .partial : .outside
    }
    return .partial
  }
}

/// True if the value is a number that is one of several, or with `isNegated` none of them.
struct NumberSetTerm: FilterTerm {
  let column: PropertyColumn
  let sorted: [Double]
  let isNegated: Bool

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    guard let doubles = column.doubles[around: ordinal] else { return 0 }
    return candidates.filtered { bit in
      let value = doubles[ordinal + bit]
      return !value.isNaN && (sorted.sortedIndex(of: value) != nil) != isNegated
    }
  }
}

/// True if a computed number is known.
struct KnownNumberTerm: SlowTerm {
  let number: NumberExpression

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    let count = candidates.extent
    Cancellation.poll((1 + number.operationCount) * count * 5)
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { numbers in
      guard let numbers = numbers.baseAddress else { return 0 }
      number.write(from: ordinal, count: count, to: numbers)
      return candidates.scanned { numbers[$0] == numbers[$0] }
    }
  }
}

/// True if a comparison of two computed numbers is.
struct ArithmeticTerm: SlowTerm {
  let left: NumberExpression
  let comparison: FilterExpression.Comparison
  let right: NumberExpression

  func mask(from ordinal: Int, among candidates: UInt64) -> UInt64 {
    let count = candidates.extent
    Cancellation.poll((1 + left.operationCount + right.operationCount) * count * 5)
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: 128) { numbers in
      guard let a = numbers.baseAddress else { return 0 }
      let b = a + 64
      left.write(from: ordinal, count: count, to: a)
      right.write(from: ordinal, count: count, to: b)
      return candidates.scanned {
        a[$0] == a[$0] && b[$0] == b[$0]
          && comparison.holds(a[$0] < b[$0] ? -1 : (a[$0] > b[$0] ? 1 : 0))
      }
    }
  }
}

/// A number of each feature that is computed from its properties; NaN where it isn't known.
indirect enum NumberExpression: Sendable {
  case constant(Double)
  case column(PropertyColumn)
  case operation(Arithmetic, NumberExpression, NumberExpression)

  /// The number of operations.
  var operationCount: Int {
    guard case .operation(_, let a, let b) = self else { return 0 }
    return 1 + a.operationCount + b.operationCount
  }

  /// Writes the numbers of `count` (1…64) features of a run.
  func write(from ordinal: Int, count: Int, to numbers: UnsafeMutablePointer<Double>) {
    switch self {
    case .constant(let value): numbers.update(repeating: value, count: count)
    case .column(let column):
      guard let values = column.doubles[around: ordinal] else {
        return numbers.update(repeating: .nan, count: count)
      }
      numbers.update(from: values + ordinal, count: count)
    case .operation(let operation, let a, let b):
      a.write(from: ordinal, count: count, to: numbers)
      withUnsafeTemporaryAllocation(of: Double.self, capacity: 64) { others in
        guard let other = others.baseAddress else { return }
        b.write(from: ordinal, count: count, to: other)
        for bit in 0..<count { numbers[bit] = operation.result(numbers[bit], other[bit]) }
      }
    }
  }
}
