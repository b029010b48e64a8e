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
    var names: [[UInt8]] = []
    forEachOperand {
      if case .property(let name) = $0, seen.insert(name).inserted { names.append(name) }
    }
    return names
  }

  /// The number of conditions, which is the worst-case cost for a feature. The literals of a list
  /// count as one condition, its properties one each.
  public var conditionCount: Int {
    var count = 0
    forEachCondition { condition in
      count += 1
      guard case .inList(_, let list) = condition else { return }
      for case .property in list { count += 1 }
    }
    return count
  }

  /// The number of LIKEs.
  public var patternCount: Int {
    var count = 0
    forEachCondition { if case .like = $0 { count += 1 } }
    return count
  }

  /// The approximate memory it takes, in bytes.
  public var byteCount: Int {
    var total = 64 * conditionCount
    forEachOperand { operand in
      switch operand {
      case .property(let text), .string(let text): total += 64 + text.count
      case .number, .bool: total += 24
      }
    }
    return total
  }

  /// Calls `body` with what AND, OR and NOT join, other than literals.
  private func forEachCondition(_ body: (FilterExpression) -> Void) {
    switch self {
    case .literal: break
    case .not(let inner): inner.forEachCondition(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachCondition(body) }
    case .comparison, .between, .inList, .like, .isNull: body(self)
    }
  }

  private func forEachOperand(_ body: (Operand) -> Void) {
    forEachCondition { condition in
      switch condition {
      case .comparison(let a, _, let b):
        body(a)
        body(b)
      case .between(let value, let low, let high):
        for operand in [value, low, high] { body(operand) }
      case .inList(let value, let list):
        body(value)
        list.forEach(body)
      case .like(let value, _), .isNull(let value): body(value)
      case .literal, .not, .and, .or: break
      }
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
