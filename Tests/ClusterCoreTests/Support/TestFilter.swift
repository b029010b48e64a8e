import Glibc
import TestSupport

@testable import ClusterCore

/// Evaluates filters row by row, in three-valued logic: nil is unknown.
extension FilterExpression {
  func isTrue(at place: Coordinate, of value: (_ name: [UInt8]) -> OwnedValue) -> Bool? {
    /// Nil for what is no value of any type, such as a sum of strings.
    func owned(_ operand: Operand) -> OwnedValue? {
      switch operand {
      case .property(let name): return value(name)
      case .number(let number): return .number(number)
      case .string(let text): return .string(text)
      case .bool(let bool): return .bool(bool)
      case .time: return nil
      case .folded(let folding, let inner):
        guard case .string(let text) = owned(inner) else { return .missing }
        var folded = String(decoding: text, as: UTF8.self)
        if folding.contains(.accents) {
          folded = String(folded.unicodeScalars.map { $0 == "ä" ? "a" : Character($0) })
        }
        return .string(Array((folding.contains(.casing) ? folded.lowercased() : folded).utf8))
      case .arithmetic(let operation, let a, let b):
        guard case .number(let a) = owned(a), case .number(let b) = owned(b) else {
          return .missing
        }
        let result =
          switch operation {
          case .add: a + b
          case .subtract: a - b
          case .multiply: a * b
          case .divide: a / b
          case .remainder: a.truncatingRemainder(dividingBy: b)
          case .power: pow(a, b)
          case .quotient: trunc(a / b)
          }
        return result.isFinite ? .number(result) : .missing
      }
    }
    func compare(_ a: Operand, _ comparison: Comparison, _ b: Operand) -> Bool? {
      if a.isTime || b.isTime {
        guard let a = TestTime(a, value), let b = TestTime(b, value) else { return nil }
        return switch comparison {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a.last < b.first
        case .lessOrEqual: a.first <= b.last
        case .greater: a.first > b.last
        case .greaterOrEqual: a.last >= b.first
        }
      }
      guard let a = owned(a), let b = owned(b), let (less, equal) = Self.order(a, b) else {
        return nil
      }
      return switch comparison {
      case .equal: equal
      case .notEqual: !equal
      case .less: less
      case .lessOrEqual: less || equal
      case .greater: !less && !equal
      case .greaterOrEqual: !less
      }
    }
    switch self {
    case .literal(let value): return value
    case .comparison(let a, let comparison, let b): return compare(a, comparison, b)
    case .between(let x, let low, let high):
      return Self.all([compare(x, .greaterOrEqual, low), compare(x, .lessOrEqual, high)])
    case .inList(let x, let list): return Self.any(list.map { compare(x, .equal, $0) })
    case .like(let x, let pattern):
      guard case .string(let text)? = owned(x) else { return nil }
      return text.withUnsafeBytes { pattern.matches($0) }
    case .isNull(let x): return owned(x) == .missing
    case .temporal(let relation, let a, let b):
      guard let a = TestTime.ends(a, value), let b = TestTime.ends(b, value) else { return nil }
      return TestTime.holds(relation, a, b)
    case .window(let name, let span):
      guard let time = TestTime(.property(name), value) else { return true }
      return time.first <= span.last && time.last >= span.first
    case .shape(let shape): return TestShape(shape).contains(place)
    case .not(let inner): return inner.isTrue(at: place, of: value).map { !$0 }
    case .and(let parts): return Self.all(parts.map { $0.isTrue(at: place, of: value) })
    case .or(let parts): return Self.any(parts.map { $0.isTrue(at: place, of: value) })
    }
  }

  private static func order(_ a: OwnedValue, _ b: OwnedValue) -> (less: Bool, equal: Bool)? {
    switch (a, b) {
    case (.number(let a), .number(let b)): (a < b, a == b)
    case (.string(let a), .string(let b)): (a.lexicographicallyPrecedes(b), a == b)
    case (.bool(let a), .bool(let b)): (!a && b, a == b)
    default: nil
    }
  }

  private static func all(_ values: [Bool?]) -> Bool? {
    values.contains(false) ? false : (values.contains(nil) ? nil : true)
  }

  private static func any(_ values: [Bool?]) -> Bool? {
    values.contains(true) ? true : (values.contains(nil) ? nil : false)
  }
}

extension SeededGenerator {
  mutating func operand() -> FilterExpression.Operand {
    switch int(0...9) {
    case 0...4: .property(Array(pick(["p", "q", "r", "n", "s", "absent"]).utf8))
    case 5, 6: .number(pick([0, -0.0, 1, 2.5, -3, 1000, 1e300, 4]))
    case 7, 8: .string(Array(pick(["", "a", "ab", "b", "5", "x", "äb", "none"]).utf8))
    default: .bool(chance(0.5))
    }
  }

  /// An operand that is computed, or a time.
  mutating func richOperand(depth: Int = 2) -> FilterExpression.Operand {
    switch int(0...(depth > 0 ? 5 : 2)) {
    case 0, 1: operand()
    case 2: .time(time())
    case 3:
      .folded(pick([.casing, .accents, [.casing, .accents]]), richOperand(depth: depth - 1))
    default:
      .arithmetic(
        pick(Arithmetic.allCases), richOperand(depth: depth - 1), richOperand(depth: depth - 1))
    }
  }

  mutating func time() -> TimeExtent {
    let first = Double(int(0...6) * 100 + (chance(0.5) ? int(0...99) : 0))
    return TimeExtent(first: first, last: chance(0.5) ? first : first + 99)
  }

  mutating func span() -> TimeSpan {
    func end(_ time: TimeExtent) -> TimeSpan.End { .time(time) }
    switch int(0...5) {
    case 0, 1: return TimeSpan(.property(Array(pick(["t", "u", "p", "absent"]).utf8)))
    case 2: return TimeSpan(end(time()))
    case 3: return TimeSpan(start: .property([116]), end: .property([117]))
    case 4: return TimeSpan(start: .property([116]), end: end(.future))
    default:
      let (a, b) = (time(), time())
      let isInOrder = a.first <= b.last
      return TimeSpan(
        start: chance(0.2) ? end(.past) : end(isInOrder ? a : b),
        end: chance(0.2) ? end(.future) : end(isInOrder ? b : a))
    }
  }

  /// A condition on times, places or computed values.
  mutating func richCondition() -> FilterExpression {
    switch int(0...8) {
    case 0, 1:
      return .comparison(
        richOperand(), pick(FilterExpression.Comparison.allCases), richOperand())
    case 2:
      let time = FilterExpression.Operand.time(time())
      let name = FilterExpression.Operand.property(Array(pick(["t", "u"]).utf8))
      return .comparison(name, pick(FilterExpression.Comparison.allCases), time)
    case 3, 4: return .temporal(pick(TimeRelation.allCases), span(), span())
    case 5:
      let (a, b) = (time(), time())
      return .window(
        property: Array(pick(["t", "u"]).utf8),
        TimeExtent(
          first: chance(0.2) ? -.infinity : min(a.first, b.first),
          last: chance(0.2) ? .infinity : max(a.last, b.last)))
    case 6: return .isNull(richOperand())
    case 7: return .inList(richOperand(), (0..<int(1...4)).map { _ in richOperand() })
    default: return .shape(shape())
    }
  }

  mutating func pattern() -> LikePattern {
    let text = pick(["%", "a%", "%b", "_", "a_b", "%a%b%", "", "_%", "a\\%b", "x", "%_b", "__"])
    guard let pattern = LikePattern(Array(text.utf8)) else { preconditionFailure(text) }
    return pattern
  }

  mutating func expression(depth: Int) -> FilterExpression {
    switch int(0...(depth > 0 ? 13 : 6)) {
    case 11, 12, 13: richCondition()
    case 0, 1, 2:
      .comparison(operand(), pick(FilterExpression.Comparison.allCases), operand())
    case 3: .between(operand(), operand(), operand())
    case 4: .inList(operand(), (0..<int(1...5)).map { _ in operand() })
    case 5: .like(operand(), pattern())
    case 6: chance(0.9) ? .isNull(operand()) : .literal(chance(0.5))
    case 7: .not(expression(depth: depth - 1))
    case 8: .and((0..<int(1...4)).map { _ in expression(depth: depth - 1) })
    default: .or((0..<int(1...4)).map { _ in expression(depth: depth - 1) })
    }
  }
}

extension FilterExpression.Operand {
  fileprivate var isTime: Bool { if case .time = self { true } else { false } }
}
