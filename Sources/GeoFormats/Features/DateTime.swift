import ClusterCore

/// Date-times of RFC 3339, as milliseconds since 1970 (UTC) without leap seconds.
public enum DateTime {
  /// What a date-time can name: the years 0 to 9999 in UTC.
  public static var range: ClosedRange<Int64> { FeatureRecord.expiryRange }

  private static let dayMilliseconds: Int64 = 86_400_000

  /// Reads a date-time such as `2026-07-01T12:00:00.5+02:00`. Fractions count to the millisecond; what
  /// is beyond is dropped. A leap second, which is the last of a day in UTC, is the second after it.
  ///
  /// - Returns: nil for anything else, dates that don't exist and what is beyond ``range``. O(n).
  public static func milliseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
    var reader = DateTimeReader(text: text)
    guard let year = reader.number(digits: 4), reader.takes("-"),
      let month = reader.number(digits: 2, in: 1...12), reader.takes("-"),
      let day = reader.number(digits: 2, in: 1...days(inMonth: month, of: year)),
      reader.takes("T") || reader.takes("t"),
      let hour = reader.number(digits: 2, in: 0...23), reader.takes(":"),
      let minute = reader.number(digits: 2, in: 0...59), reader.takes(":"),
      let second = reader.number(digits: 2, in: 0...60),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    let minutes = days(before: day, month, of: year) * 1440 + hour * 60 + minute - offset
    if second == 60, (minutes + 1) % 1440 != 0 { return nil }
    let result = (minutes * 60 + second) * 1000 + fraction
    return range.contains(result) ? result : nil
  }

  /// As ``milliseconds(_:)-(UnsafeRawBufferPointer)``, of a string.
  public static func milliseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { milliseconds(UnsafeRawBufferPointer($0)) }
  }

  /// The date-time in UTC, with `Z`, and with milliseconds if there are any: 20 or 24 characters of
  /// ASCII. What is beyond ``range`` becomes its nearest bound.
  public static func text(_ milliseconds: Int64) -> String {
    let time = min(max(milliseconds, range.lowerBound), range.upperBound)
    let shifted = time - range.lowerBound
    let (year, month, day) = date(ofDay: shifted / dayMilliseconds)
    let rest = shifted % dayMilliseconds
    let fraction = rest % 1000
    var text: [UInt8] = []
    text.reserveCapacity(24)
    put(year, digits: 4, "-", into: &text)
    put(month, digits: 2, "-", into: &text)
    put(day, digits: 2, "T", into: &text)
    put(rest / 3_600_000, digits: 2, ":", into: &text)
    put(rest / 60_000 % 60, digits: 2, ":", into: &text)
    put(rest / 1000 % 60, digits: 2, fraction == 0 ? "Z" : ".", into: &text)
    if fraction != 0 { put(fraction, digits: 3, "Z", into: &text) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func put(
    _ value: Int64, digits: Int, _ end: Unicode.Scalar, into text: inout [UInt8]
  ) {
    var divisor: Int64 = 1
    for _ in 1..<digits { divisor *= 10 }
    while divisor > 0 {
      text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
      divisor /= 10
    }
    text.append(UInt8(ascii: end))
  }

  // MARK: The Gregorian calendar, from the year 0 on

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The days from the first of the year 0 to the first of another.
  private static func days(beforeYear year: Int64) -> Int64 {
    // The leap years before it; the year 0 is one.
    let leaps = year == 0 ? 0 : (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 + 1
    return year * 365 + leaps
  }

  /// The days from 1970 to a date.
  private static func days(before day: Int64, _ month: Int64, of year: Int64) -> Int64 {
    var days = days(beforeYear: year) + range.lowerBound / dayMilliseconds
    for earlier in 1..<month { days += self.days(inMonth: earlier, of: year) }
    return days + day - 1
  }

  /// The date that comes some days after the first of the year 0.
  private static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // 146,097 days are 400 years; the guess is at most one year off.
    var year = number * 400 / 146_097
    if days(beforeYear: year) > number { year -= 1 }
    if days(beforeYear: year + 1) <= number { year += 1 }
    var day = number - days(beforeYear: year)
    var month: Int64 = 1
    while day >= days(inMonth: month, of: year) {
      day -= days(inMonth: month, of: year)
      month += 1
    }
    return (year, month, day + 1)
  }
}

/// Reads the parts of a date-time one after the other.
private struct DateTimeReader {
  let text: UnsafeRawBufferPointer
  private var index = 0

  init(text: UnsafeRawBufferPointer) { self.text = text }

  var isAtEnd: Bool { index == text.count }

  /// Takes a character, if it is the next.
  mutating func takes(_ character: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func digit() -> Int64? {
    guard index < text.count else { return nil }
    let byte = text[index]
    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    index += 1
    return Int64(byte - UInt8(ascii: "0"))
  }

  /// A number of so many digits.
  mutating func number(digits: Int, in range: ClosedRange<Int64> = 0...9999) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return range.contains(value) ? value : nil
  }

  /// The milliseconds of a fraction, 0 if there is none; nil for a point without digits.
  mutating func fraction() -> Int64? {
    guard takes(".") else { return 0 }
    guard var value = digit() else { return nil }
    var count = 1
    while let digit = digit() {
      if count < 3 {
        value = value * 10 + digit
        count += 1
      }
    }
    while count < 3 {
      value *= 10
      count += 1
    }
    return value
  }

  /// How far local time is ahead of UTC, in minutes.
  mutating func offset() -> Int64? {
    if takes("Z") || takes("z") { return 0 }
    let sign: Int64 = takes("+") ? 1 : -1
    guard sign == 1 || takes("-"), let hours = number(digits: 2, in: 0...23), takes(":"),
      let minutes = number(digits: 2, in: 0...59)
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}
