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
