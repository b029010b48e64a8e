/// The kinds of a column's fields that aren't empty.
struct ColumnKinds: OptionSet {
  let rawValue: UInt8

  /// Numbers without a sign before decimals.
  static let whole = ColumnKinds(rawValue: 1)
  /// Numbers with a point, and such with a comma.
  static let point = ColumnKinds(rawValue: 2)
  static let comma = ColumnKinds(rawValue: 4)
  /// Numbers in quotes, which no separator made necessary.
  static let quoted = ColumnKinds(rawValue: 8)
  /// Anything else.
  static let text = ColumnKinds(rawValue: 16)

  /// The kind of a field.
  ///
  /// - Parameters:
  ///   - isQuoted: whether it is in quotes.
  ///   - separator: the byte between fields, which is only within quotes.
  static func of(
    _ text: UnsafeRawBufferPointer, isQuoted: Bool, separator: UInt8
  ) -> ColumnKinds {
    if JSONText.isNumber(text) {
      return isQuoted ? .quoted : text.contains(UInt8(ascii: ".")) ? .point : .whole
    }
    guard CoordinateText.withPoint(text, { JSONText.isNumber($0) }) == true else { return .text }
    return isQuoted && separator != UInt8(ascii: ",") ? .quoted : .comma
  }

  /// The kinds that are numbers.
  static func numbers(decimal: UInt8) -> ColumnKinds {
    decimal == UInt8(ascii: ",") ? [.whole, .comma] : [.whole, .point]
  }

  /// Whether all fields are numbers.
  func areNumbers(decimal: UInt8) -> Bool { isSubset(of: .numbers(decimal: decimal)) }

  /// Whether some are numbers without quotes and others are text.
  func areMixed(decimal: UInt8) -> Bool {
    let numbers = ColumnKinds.numbers(decimal: decimal)
    return !isDisjoint(with: numbers) && !isSubset(of: numbers.union(.quoted))
  }
}
