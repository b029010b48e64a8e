/// A condition on the properties of a feature in SQL's three-valued logic: true, false or unknown.
/// Only features for which it is true pass.
public indirect enum FilterExpression: Hashable, Sendable {
  /// An operand of a comparison.
  public enum Operand: Hashable, Sendable {
    /// The value of a property, by the UTF-8 of its name.
    case property([UInt8])
    /// A finite number.
    case number(Double)
    /// A string's UTF-8.
    case string([UInt8])
    /// A boolean.
    case bool(Bool)
  }

  /// A comparison of two values: numbers as doubles, strings by their UTF-8, and false before true.
  /// It is unknown for values of different types and for missing values.
  public enum Comparison: Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// Always true, or always false.
  case literal(Bool)
  /// `a = b` and other comparisons.
  case comparison(Operand, Comparison, Operand)
  /// `x BETWEEN low AND high`, both inclusive.
  case between(Operand, Operand, Operand)
  /// `x IN (…)`.
  case inList(Operand, [Operand])
  /// `x LIKE '…'`, unknown for values other than strings.
  case like(Operand, LikePattern)
  /// `x IS NULL`: the value is missing or JSON null. Never unknown.
  case isNull(Operand)
  /// Negation. Unknown stays unknown.
  case not(FilterExpression)
  /// True if all parts are true.
  case and([FilterExpression])
  /// True if any part is true.
  case or([FilterExpression])

  /// The longest text of a filter, in bytes.
  public static let maximumLength = 65_536
  /// The maximum number of conditions, each of which reads every feature.
  public static let maximumConditions = 1000
  /// The maximum number of LIKEs, each of which reads every string of its property.
  public static let maximumPatterns = 32
  /// The maximum number of properties, each of which is first read from every feature.
  public static let maximumProperties = 32
  /// The maximum nesting depth of parentheses and NOT in a text.
  public static let maximumDepth = 100

  /// The names of its properties without duplicates, in order of occurrence.
  public var propertyNames: [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return conditions.flatMap(\.operands).compactMap {
      if case .property(let name) = $0, seen.insert(name).inserted { name } else { nil }
    }
  }

  /// The number of conditions, which is the worst-case cost for a feature. The literals of a list
  /// count as one condition, its properties one each.
  public var conditionCount: Int {
    conditions.reduce(0) { count, condition in
      guard case .inList(_, let list) = condition else { return count + 1 }
      return count + 1 + list.count { if case .property = $0 { true } else { false } }
    }
  }

  /// The number of LIKEs.
  public var patternCount: Int {
    conditions.count { if case .like = $0 { true } else { false } }
  }

  /// The approximate memory it takes, in bytes.
  public var byteCount: Int {
    conditions.flatMap(\.operands).reduce(64 * conditionCount) { total, operand in
      switch operand {
      case .property(let text), .string(let text): total + 64 + text.count
      case .number, .bool: total + 24
      }
    }
  }

  /// What AND, OR and NOT join, other than literals.
  private var conditions: [FilterExpression] {
    switch self {
    case .literal: []
    case .not(let inner): inner.conditions
    case .and(let parts), .or(let parts): parts.flatMap(\.conditions)
    case .comparison, .between, .inList, .like, .isNull: [self]
    }
  }

  private var operands: [Operand] {
    switch self {
    case .comparison(let a, _, let b): [a, b]
    case .between(let value, let low, let high): [value, low, high]
    case .inList(let value, let list): [value] + list
    case .like(let value, _), .isNull(let value): [value]
    case .literal, .not, .and, .or: []
    }
  }
}

extension FilterExpression.Comparison {
  /// The comparison that is true where this one is false.
  var complement: Self {
    switch self {
    case .equal: .notEqual
    case .notEqual: .equal
    case .less: .greaterOrEqual
    case .lessOrEqual: .greater
    case .greater: .lessOrEqual
    case .greaterOrEqual: .less
    }
  }

  /// The comparison with its sides exchanged.
  var flipped: Self {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// Returns whether the comparison is true for values whose order is negative, zero or positive.
  @inline(__always)
  func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}
