public import ClusterCore
internal import Texts

/// RFC 3339 date-times as milliseconds since 1970 (UTC), without leap seconds.
public enum DateTime {
  /// The range of date-times: the years 0 to 9999 in UTC.
  public static var range: ClosedRange<Int64> { FeatureRecord.expiryRange }

  private static let dayMilliseconds: Int64 = 86_400_000

  /// Parses a date-time such as `2026-07-01T12:00:00.5+02:00`. Fractions are cut off after milliseconds.
  /// A leap second, which is the last second of a day in UTC, counts as the second after it.
  ///
  /// - Returns: nil for other texts, dates that do not exist and times outside ``range``.
  /// - Complexity: O(n) in the length of the text.
  public static func milliseconds(_ text: UnsafeRawBufferPointer) -> Int64? {
    var reader = Reader(text: text)
    guard let days = reader.day(), reader.takes("T") || reader.takes("t"),
      let hour = reader.number(digits: 2, in: 0...23), reader.takes(":"),
      let minute = reader.number(digits: 2, in: 0...59), reader.takes(":"),
      let second = reader.number(digits: 2, in: 0...60),
      let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    let minutes = days * 1440 + hour * 60 + minute - offset
    if second == 60, (minutes + 1) % 1440 != 0 { return nil }
    let result = (minutes * 60 + second) * 1000 + fraction
    return range.contains(result) ? result : nil
  }

  /// The length of a date such as `2026-07-01`.
  static let dateLength = 10

  /// Parses a date-time as ``milliseconds(_:)`` does, or a date such as `2026-07-01`, which is that whole day in
  /// UTC.
  ///
  /// - Returns: nil for other texts.
  public static func extent(_ text: UnsafeRawBufferPointer) -> TimeExtent? {
    guard text.count == dateLength else {
      return milliseconds(text).map { TimeExtent(first: Double($0), last: Double($0)) }
    }
    var reader = Reader(text: text)
    return reader.day().map {
      let midnight = $0 * dayMilliseconds
      return TimeExtent(first: Double(midnight), last: Double(midnight + dayMilliseconds - 1))
    }
  }

  /// Parses a text in UTF-8.
  public static func extent(_ text: [UInt8]) -> TimeExtent? {
    text.withUnsafeBytes { extent($0) }
  }

  /// The date-time in UTC with `Z`, and with milliseconds unless they are 0: 20 or 24 ASCII characters.
  /// Times outside ``range`` are clamped to it.
  ///
  /// - Parameter fixedWidth: whether milliseconds are written even if they are 0.
  public static func text(_ milliseconds: Int64, fixedWidth: Bool = false) -> String {
    let time = min(max(milliseconds, range.lowerBound), range.upperBound)
    let shifted = time - range.lowerBound
    let (year, month, day) = date(ofDay: shifted / dayMilliseconds)
    let rest = shifted % dayMilliseconds
    let fraction = rest % 1000
    let hasFraction = fixedWidth || fraction != 0
    var text: [UInt8] = []
    text.reserveCapacity(24)
    put(year, digits: 4, "-", into: &text)
    put(month, digits: 2, "-", into: &text)
    put(day, digits: 2, "T", into: &text)
    put(rest / 3_600_000, digits: 2, ":", into: &text)
    put(rest / 60_000 % 60, digits: 2, ":", into: &text)
    put(rest / 1000 % 60, digits: 2, hasFraction ? "." : "Z", into: &text)
    if hasFraction { put(fraction, digits: 3, "Z", into: &text) }
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

  // MARK: The proleptic Gregorian calendar from year 0

  private static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // The next two are from H. Hinnant, "chrono-Compatible Low-Level Date Algorithms". Years begin in
  // March there, so that the leap day is the last one: 153 days are the five months from March to July. Days
  // are counted from 1 March of the year -400, so that nothing is negative.

  /// 1 January of year 0.
  private static let dayOfYear0: Int64 = 146_037

  /// The days from 1 January of year 0 to a date.
  private static func days(before day: Int64, _ month: Int64, of year: Int64) -> Int64 {
    let shifted = 400 + year - (month < 3 ? 1 : 0)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - dayOfYear0
  }

  /// The date that is `number` days after 1 January of year 0.
  private static func date(ofDay number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let days = number + dayOfYear0
    let dayOfEra = days % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let year = days / 146_097 * 400 + yearOfEra - 400 + (month > 9 ? 1 : 0)
    return (year, (month + 2) % 12 + 1, dayOfYear - (153 * month + 2) / 5 + 1)
  }

  /// A cursor that reads the parts of a date-time.
  private struct Reader {
    let text: UnsafeRawBufferPointer
    var index = 0

    var isAtEnd: Bool { index == text.count }

    /// Skips a character if it is the next one. Returns whether it was.
    mutating func takes(_ character: Unicode.Scalar) -> Bool {
      guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    private mutating func digit() -> Int64? {
      guard index < text.count else { return nil }
      let byte = text[index]
      guard byte.isDigit else { return nil }
      index += 1
      return Int64(byte - UInt8(ascii: "0"))
    }

    /// Reads a number of exactly `digits` digits.
    mutating func number(digits: Int, in range: ClosedRange<Int64> = 0...9999) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<digits {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return range.contains(value) ? value : nil
    }

    /// Reads a date, as the number of the day since 1970.
    mutating func day() -> Int64? {
      guard let year = number(digits: 4), takes("-"), let month = number(digits: 2, in: 1...12),
        takes("-"), let day = number(digits: 2, in: 1...days(inMonth: month, of: year))
      else { return nil }
      return days(before: day, month, of: year) + range.lowerBound / dayMilliseconds
    }

    /// Reads a fraction, in milliseconds: 0 if there is none, nil for a point without digits.
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

    /// Reads how many minutes local time is ahead of UTC.
    mutating func offset() -> Int64? {
      if takes("Z") || takes("z") { return 0 }
      let sign: Int64 = takes("+") ? 1 : -1
      guard sign == 1 || takes("-"), let hours = number(digits: 2, in: 0...23), takes(":"),
        let minutes = number(digits: 2, in: 0...59)
      else { return nil }
      return sign * (hours * 60 + minutes)
    }
  }
}
