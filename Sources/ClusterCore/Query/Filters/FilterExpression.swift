import Glibc

/// A condition on the properties and the place of a feature in SQL's three-valued logic: true, false or
/// unknown. Only features for which it is true pass.
public indirect enum FilterExpression: Hashable, Sendable {
  /// An operand of a comparison.
  public indirect enum Operand: Hashable, Sendable {
    /// The value of a property, by the UTF-8 of its name.
    case property([UInt8])
    /// A finite number.
    case number(Double)
    /// A string's UTF-8.
    case string([UInt8])
    /// A boolean.
    case bool(Bool)
    /// A date-time or a date. A property that is compared with it is read as one.
    case time(TimeExtent)
    /// A string without some differences.
    case folded(TextFolding, Operand)
    /// The result of an operation on two numbers.
    case arithmetic(Arithmetic, Operand, Operand)

    /// A hash that takes texts as a whole, where that of an array takes each byte by itself.
    ///
    /// - Complexity: O(bytes).
    public func hash(into hasher: inout Hasher) {
      func add(_ text: [UInt8], _ kind: UInt8) {
        hasher.combine(kind)
        hasher.combine(text.count)
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
      }
      switch self {
      case .property(let name): add(name, 0)
      case .string(let text): add(text, 1)
      case .number(let value): hasher.combine(value)
      case .bool(let value): hasher.combine(value)
      case .time(let time): hasher.combine(time)
      case .folded(let folding, let inner):
        hasher.combine(2)
        hasher.combine(folding)
        hasher.combine(inner)
      case .arithmetic(let operation, let a, let b):
        hasher.combine(operation)
        hasher.combine(a)
        hasher.combine(b)
      }
    }
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
  /// How two intervals of time lie to each other; unknown where one of their ends isn't known.
  case temporal(TimeRelation, TimeSpan, TimeSpan)
  /// The time in a property, if there is one, is within a span or overlaps it. Never unknown.
  case window(property: [UInt8], TimeExtent)
  /// The feature is in a shape. Never unknown.
  case shape(Shape)
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
  /// The longest name of a property, in bytes. Each feature is searched for it, and it is kept with what was found.
  public static let maximumNameLength = 1000
  /// The maximum nesting depth of parentheses, functions and NOT in a text, and of operations in JSON.
  public static let maximumDepth = 100
  /// The maximum number of operations on numbers.
  public static let maximumOperations = 100

  /// The names of its properties without duplicates, in order of occurrence.
  ///
  /// - Complexity: O(conditions and operands).
  public var propertyNames: [[UInt8]] {
    var seen: Set<[UInt8]> = []
    return columnNames.map(\.property).filter { seen.insert($0).inserted }
  }

  /// Whether it names a property.
  public func names(_ property: [UInt8]) -> Bool {
    var isFound = false
    forEachOperand { operand, _ in
      if case .property(let name) = operand, name == property { isFound = true }
    }
    return isFound
  }

  /// The columns that it is evaluated on, without duplicates, in order of occurrence. Those of a normalised
  /// expression are all that are needed.
  public var columnNames: [ColumnName] {
    var seen: Set<ColumnName> = []
    var names: [ColumnName] = []
    func add(_ name: ColumnName) {
      // Many conditions are often about one property.
      if name != names.last, seen.insert(name).inserted { names.append(name) }
    }
    forEachOperand { operand, isTime in
      guard case .property(let name) = operand else { return }
      if isTime {
        add(ColumnName(name, .times))
        add(ColumnName(name, .days))
      } else {
        add(ColumnName(name))
      }
    }
    return names
  }

  /// The number of conditions, which is the worst-case cost for a feature. The literals of a list
  /// count as one condition, its properties one each.
  ///
  /// - Complexity: O(conditions and operands).
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

  /// The number of LIKEs, foldings of texts and operations on numbers, each of which takes many times as long as the
  /// comparison of a value.
  public var slowCount: Int {
    var count = patternCount
    forEachOperand { operand, _ in
      switch operand {
      case .folded, .arithmetic: count += 1
      case .property, .number, .string, .bool, .time: break
      }
    }
    return count
  }

  /// The shapes that features are compared with.
  public var shapes: [Shape] {
    var shapes: [Shape] = []
    forEachCondition { if case .shape(let shape) = $0 { shapes.append(shape) } }
    return shapes
  }

  /// The approximate memory it takes, in bytes.
  ///
  /// - Complexity: O(conditions and operands).
  public var byteCount: Int {
    var total = 64 * conditionCount + shapes.reduce(0) { $0 + $1.byteCount }
    forEachOperand { operand, _ in
      switch operand {
      case .property(let text), .string(let text): total += 64 + text.count
      case .number, .bool, .time, .folded, .arithmetic: total += 24
      }
    }
    return total
  }

  /// Calls `body` with what AND, OR and NOT join, other than literals.
  func forEachCondition(_ body: (FilterExpression) -> Void) {
    switch self {
    case .literal: break
    case .not(let inner): inner.forEachCondition(body)
    case .and(let parts), .or(let parts): for part in parts { part.forEachCondition(body) }
    case .comparison, .between, .inList, .like, .isNull, .temporal, .window, .shape: body(self)
    }
  }

  /// Calls `body` with all operands and their operands, and whether they are read as times.
  private func forEachOperand(_ body: (Operand, _ isTime: Bool) -> Void) {
    func visit(_ operand: Operand, _ isTime: Bool) { operand.forEach { body($0, isTime) } }
    forEachCondition { condition in
      switch condition {
      case .comparison(let a, _, let b):
        let isTime = a.isTime || b.isTime
        visit(a, isTime)
        visit(b, isTime)
      case .between(let value, let low, let high):
        let isTime = value.isTime || low.isTime || high.isTime
        for operand in [value, low, high] { visit(operand, isTime) }
      case .inList(let value, let list):
        visit(value, value.isTime || list.contains(where: \.isTime))
        for operand in list { visit(operand, operand.isTime) }
      case .like(let value, _), .isNull(let value): visit(value, value.isTime)
      case .temporal(_, let a, let b):
        for name in a.properties + b.properties { body(.property(name), true) }
      case .window(let name, _): body(.property(name), true)
      case .literal, .not, .and, .or, .shape: break
      }
    }
  }
}

extension FilterExpression.Operand {
  fileprivate var isTime: Bool { if case .time = self { true } else { false } }

  /// Calls `body` with the operand and its operands.
  func forEach(_ body: (Self) -> Void) {
    body(self)
    switch self {
    case .folded(_, let inner): inner.forEach(body)
    case .arithmetic(_, let a, let b):
      a.forEach(body)
      b.forEach(body)
    case .property, .number, .string, .bool, .time: break
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

/// An operation on two numbers. Its result is unknown if it isn't a finite number.
public enum Arithmetic: String, Hashable, Sendable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  /// The remainder of a division, with the sign of the dividend.
  case remainder = "%"
  case power = "^"
  /// The quotient without its fraction.
  case quotient = "div"

  /// Returns the result, NaN if it isn't a finite number.
  @inline(__always)
  func result(_ a: Double, _ b: Double) -> Double {
    let result =
      switch self {
      case .add: a + b
      case .subtract: a - b
      case .multiply: a * b
      case .divide: a / b
      case .remainder: fmod(a, b)
      // IEEE 754 has 1 for pow(NaN, 0) and pow(1, NaN).
      case .power: a.isNaN || b.isNaN ? .nan : pow(a, b)
      case .quotient: (a / b).rounded(.towardZero)
      }
    return result.isFinite ? result : .nan
  }
}
