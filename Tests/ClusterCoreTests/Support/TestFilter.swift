import TestSupport

@testable import ClusterCore

/// Evaluates filters row by row, in three-valued logic: nil is unknown.
extension FilterExpression {
  func isTrue(of value: (_ name: [UInt8]) -> OwnedValue) -> Bool? {
    func owned(_ operand: Operand) -> OwnedValue {
      switch operand {
      case .property(let name): value(name)
      case .number(let number): .number(number)
      case .string(let text): .string(text)
      case .bool(let bool): .bool(bool)
      }
    }
    func compare(_ a: Operand, _ comparison: Comparison, _ b: Operand) -> Bool? {
      guard let (less, equal) = Self.order(owned(a), owned(b)) else { return nil }
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
      guard case .string(let text) = owned(x) else { return nil }
      return text.withUnsafeBytes { pattern.matches($0) }
    case .isNull(let x): return owned(x) == .missing
    case .not(let inner): return inner.isTrue(of: value).map { !$0 }
    case .and(let parts): return Self.all(parts.map { $0.isTrue(of: value) })
    case .or(let parts): return Self.any(parts.map { $0.isTrue(of: value) })
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

  mutating func pattern() -> LikePattern {
    let text = pick(["%", "a%", "%b", "_", "a_b", "%a%b%", "", "_%", "a\\%b", "x", "%_b", "__"])
    guard let pattern = LikePattern(Array(text.utf8)) else { preconditionFailure(text) }
    return pattern
  }

  mutating func expression(depth: Int) -> FilterExpression {
    switch int(0...(depth > 0 ? 10 : 6)) {
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
