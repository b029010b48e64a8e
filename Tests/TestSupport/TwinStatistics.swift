import ClusterCore

/// One of `aggregate`.
public struct TwinAggregate: Sendable {
  /// What is computed.
  public enum Operation: String, CaseIterable, Sendable {
    /// Of all numbers.
    case sum
    /// Of all numbers.
    case mean
    /// The smallest number.
    case min
    /// The largest number.
    case max
    /// The number in the middle, or the mean of both.
    case median
    /// How many values differ.
    case distinct
    /// The number by nearest rank.
    case p1, p25, p50, p90, p99
  }

  /// What the answer calls it.
  public let name: String
  /// What is computed.
  public let operation: Operation
  /// Of which property.
  public let property: String

  /// An aggregate.
  public init(_ name: String, _ operation: Operation, _ property: String) {
    (self.name, self.operation, self.property) = (name, operation, property)
  }
}

/// A number that an answer must give, and how exactly.
public struct TwinNumber: Sendable {
  /// The number.
  public let value: Double
  /// How far off an answer may be.
  public let tolerance: Double

  /// Whether an answer gives it.
  public func isGiven(by answer: TestJSON?) -> Bool {
    guard let got = answer?.double else { return false }
    return (got - value).magnitude <= tolerance
  }
}

/// What section 8 says about the features of an annotation.
public struct TwinStatistics: Sendable {
  /// The sum of the weights, nil if it wasn't asked for.
  public let weight: TwinNumber?
  /// The 100 most frequent values, nil if they weren't asked for.
  public let counts: [(key: TwinKey, count: Int)]?
  /// How many features have other values.
  public let otherCount: Int
  /// Aggregates in the order of the request; nil where no feature has a number.
  public let aggregates: [(name: String, value: TwinNumber?)]

  /// Looks at all of some features.
  public init(of placed: [Twin.Placed], _ request: TwinRequest) {
    weight = request.weightBy.map { name in
      TwinStatistics.sum(placed.map { TwinStatistics.weight(of: $0, by: name) })
    }
    let all = request.countBy.map { TwinStatistics.counts(of: placed, by: $0) }
    counts = all.map { Array($0.prefix(100)) }
    otherCount = (all ?? []).dropFirst(100).reduce(0) { $0 + $1.count }
    aggregates = request.aggregate.map { one in
      let values = placed.compactMap { $0.value(one.property) }.filter { !$0.isNull }
      if one.operation == .distinct {
        let count = TwinStatistics.distinct(values)
        return (one.name, TwinNumber(value: Double(count), tolerance: 0))
      }
      let numbers = values.compactMap(\.double)
      return (one.name, TwinStatistics.result(of: one.operation, numbers))
    }
  }

  /// What a feature weighs: 1 without a property.
  static func weight(of one: Twin.Placed, by property: String?) -> Double {
    guard let property else { return 1 }
    return max(0, one.value(property)?.double ?? 0)
  }

  private static func counts(
    of placed: [Twin.Placed], by property: String
  ) -> [(key: TwinKey, count: Int)] {
    // In counts the missing ones and the string "null" add up.
    let byKey = Dictionary(grouping: placed) { TwinKey(of: $0.value(property)) ?? TwinKey("null") }
    return byKey.map { ($0, $1.count) }.sorted { a, b in
      a.1 != b.1 ? a.1 > b.1 : a.0 < b.0
    }
  }

  /// Each number, text and truth value once, and each text of other JSON.
  private static func distinct(_ values: [TestJSON]) -> Int {
    var found: [TestJSON] = []
    for value in values {
      let isKnown = found.contains { other in
        if let a = value.double, let b = other.double { return a == b }
        return value.text.utf8.elementsEqual(other.text.utf8)
      }
      if !isKnown { found.append(value) }
    }
    return found.count
  }

  /// The least number that as many percent of all, or more, don't exceed.
  private static func percentile(_ percent: Int, of numbers: [Double]) -> TwinNumber? {
    numbers.filter { one in numbers.count { $0 <= one } * 100 >= percent * numbers.count }.min()
      .map { TwinNumber(value: $0, tolerance: 0) }
  }

  private static func result(
    of operation: TwinAggregate.Operation, _ numbers: [Double]
  ) -> TwinNumber? {
    guard let least = numbers.min(), let most = numbers.max() else { return nil }
    let sum = sum(numbers)
    switch operation {
    case .min: return TwinNumber(value: least, tolerance: 0)
    case .max: return TwinNumber(value: most, tolerance: 0)
    case .sum: return sum
    case .median:
      let sorted = numbers.sorted()
      let middle = (sorted[(numbers.count - 1) / 2], sorted[numbers.count / 2])
      return TwinNumber(value: (middle.0 + middle.1) / 2, tolerance: 0)
    case .p1: return percentile(1, of: numbers)
    case .p25: return percentile(25, of: numbers)
    case .p50: return percentile(50, of: numbers)
    case .p90: return percentile(90, of: numbers)
    case .p99: return percentile(99, of: numbers)
    case .distinct: return nil
    case .mean:
      let mean = sum.value / Double(numbers.count)
      let spread = numbers.reduce(0) { $0 + $1.magnitude } / Double(numbers.count)
      return TwinNumber(value: mean, tolerance: spread * 1e-14)
    }
  }

  /// The sum: of integers to the last digit, of others by Neumaier's compensated addition.
  static func sum(_ numbers: [Double]) -> TwinNumber {
    let size = numbers.reduce(0) { $0 + $1.magnitude }
    if size <= 0x1p53, numbers.allSatisfy({ $0 == $0.rounded() }) {
      return TwinNumber(value: Double(numbers.reduce(0) { $0 + Int($1) }), tolerance: 0)
    }
    var (sum, lost) = (0.0, 0.0)
    for number in numbers {
      let next = sum + number
      lost += sum.magnitude >= number.magnitude ? (sum - next) + number : (number - next) + sum
      sum = next
    }
    return TwinNumber(value: sum + lost, tolerance: size * 1e-14)
  }
}
