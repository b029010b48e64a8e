import Glibc

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
      case .power: pow(a, b)
      case .quotient: (a / b).rounded(.towardZero)
      }
    return result.isFinite ? result : .nan
  }
}
