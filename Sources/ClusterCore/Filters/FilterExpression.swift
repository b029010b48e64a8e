/// A condition on the properties of a feature, in SQL's three-valued logic: it is true, false or
/// unknown, and only features for which it is true pass.
public indirect enum FilterExpression: Hashable, Sendable {
  /// What stands beside an operator.
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

  /// How two values are compared: numbers as doubles, strings by their UTF-8, false before true.
  /// Of values of different types, and of no value at all, the answer is unknown.
  public enum Comparison: Hashable, Sendable, CaseIterable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// Always true, or always false.
  case literal(Bool)
  /// `a = b` and the like.
  case comparison(Operand, Comparison, Operand)
  /// `x BETWEEN low AND high`, both included.
  case between(Operand, Operand, Operand)
  /// `x IN (…)`.
  case inList(Operand, [Operand])
  /// `x LIKE '…'`; unknown of anything but a string.
  case like(Operand, LikePattern)
  /// `x IS NULL`: whether there is no value, or it is JSON's null. Never unknown.
  case isNull(Operand)
  /// Unknown stays unknown.
  case not(FilterExpression)
  /// True if all are.
  case and([FilterExpression])
  /// True if any is.
  case or([FilterExpression])

  /// The longest text of a filter, in bytes.
  public static let maximumLength = 65_536
  /// How many conditions a filter can have: each looks at every feature.
  public static let maximumConditions = 1000
  /// How many of them can be LIKEs: each reads every string that its property has.
  public static let maximumPatterns = 32
  /// How many properties a filter can look at: each is read out of every feature first.
  public static let maximumProperties = 32
  /// How deep parentheses and NOT may be nested in a text.
  public static let maximumDepth = 100

  /// The properties that it looks at, each once, in the order in which they are named.
  public var propertyNames: [[UInt8]] {
    var names: [[UInt8]] = []
    var seen: Set<[UInt8]> = []
    forEachOperand { operand in
      if case .property(let name) = operand, seen.insert(name).inserted { names.append(name) }
    }
    return names
  }

  /// How many comparisons and the like it has: what it costs to evaluate for a feature at worst. The
  /// literals of a list count once, its properties each.
  public var conditionCount: Int {
    switch self {
    case .literal: 0
    case .comparison, .between, .like, .isNull: 1
    case .inList(_, let list):
      1 + list.count { if case .property = $0 { true } else { false } }
    case .not(let inner): inner.conditionCount
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.conditionCount }
    }
  }

  /// The memory that it takes, in bytes, about.
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

  /// How many LIKEs it has.
  public var patternCount: Int {
    switch self {
    case .like: 1
    case .literal, .comparison, .between, .isNull, .inList: 0
    case .not(let inner): inner.patternCount
    case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.patternCount }
    }
  }

  private func forEachOperand(_ body: (Operand) -> Void) {
    switch self {
    case .literal: break
    case .comparison(let a, _, let b):
      body(a)
      body(b)
    case .between(let value, let low, let high):
      body(value)
      body(low)
      body(high)
    case .inList(let value, let list):
      body(value)
      list.forEach(body)
    case .like(let value, _), .isNull(let value): body(value)
    case .not(let inner): inner.forEachOperand(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachOperand(body) }
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

  /// Whether it holds of values that are in an order: negative, zero or positive.
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
