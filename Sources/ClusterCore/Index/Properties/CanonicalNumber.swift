/// The canonical text of numbers, as defined by ECMAScript and by RFC 8785, section 3.2.2.3.
enum CanonicalNumber {
  /// Returns the shortest digits that parse to a finite number, without an exponent if its
  /// magnitude is in 1e-6..<1e21.
  static func text(_ value: Double) -> [UInt8] {
    if value.magnitude < 0x1p53, value == value.rounded(.towardZero) {
      return Array(String(Int64(value)).utf8)  // -0 becomes 0
    }
    let (digits, point) = decimal(value.magnitude)
    let sign = value < 0 ? [UInt8(ascii: "-")] : []
    return sign + layout(digits, point)
  }

  /// Returns the significant digits of a number and the position of its point, so that it equals
  /// 0.digits × 10^point. Swift's description has the same digits: "1234.5", "1.2345e+20" or
  /// "1.2e-07".
  private static func decimal(_ magnitude: Double) -> (digits: [UInt8], point: Int) {
    var digits: [UInt8] = []
    var (point, exponent) = (0, 0)
    var (isFraction, isExponent, isNegative) = (false, false, false)
    for byte in magnitude.description.utf8 {
      switch byte {
      case UInt8(ascii: "."): isFraction = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = true
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "+"): break
      default:
        if isExponent {
          exponent = exponent * 10 + Int(byte - UInt8(ascii: "0"))
        } else {
          digits.append(byte)
          if !isFraction { point += 1 }
        }
      }
    }
    let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(zeros)
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return (digits, point - zeros + (isNegative ? -exponent : exponent))
  }

  private static func layout(_ digits: [UInt8], _ point: Int) -> [UInt8] {
    let zero = UInt8(ascii: "0")
    let dot = UInt8(ascii: ".")
    switch point {
    case digits.count...21: return digits + Array(repeating: zero, count: point - digits.count)
    case 1...21: return digits[..<point] + [dot] + digits[point...]
    case -5...0: return [zero, dot] + Array(repeating: zero, count: -point) + digits
    default:
      let exponent = "e" + (point > 0 ? "+" : "-") + String((point - 1).magnitude)
      let fraction = digits.count > 1 ? [dot] + digits[1...] : []
      return [digits[0]] + fraction + Array(exponent.utf8)
    }
  }
}
