import GeoFormats
import Glibc
import TestSupport
import Testing

/// RFC 3339 date-times.
@Suite(.timeLimit(.minutes(5))) struct DateTimeTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1970-01-01t00:00:00z", 0), ("1969-12-31T23:59:59.999Z", -1),
    ("2026-07-01T12:00:00+02:00", 1_782_900_000_000),
    ("2026-07-01T12:00:00-00:00", 1_782_907_200_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000), ("2024-02-29T23:59:59.5Z", 1_709_251_199_500),
    ("1985-04-12T23:20:50.52Z", 482_196_050_520), ("1996-12-19T16:39:57-08:00", 851_042_397_000),
    ("1937-01-01T12:00:27.87+00:20", -1_041_337_172_130),
    // Leap seconds count as the seconds after them.
    ("1990-12-31T23:59:60Z", 662_688_000_000), ("1990-12-31T15:59:60-08:00", 662_688_000_000),
    ("2016-12-31T23:59:60.75Z", 1_483_228_800_750),
    // Fractions are cut off after milliseconds.
    ("1970-01-01T00:00:00.0019999999999999999999Z", 1), ("1969-12-31T23:59:59.9999Z", -1),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    ("0001-01-01T00:00:00+23:59", -62_135_683_140_000),
  ])
  func isRead(text: String, milliseconds: Int64) {
    #expect(DateTime.milliseconds(text) == milliseconds)
  }

  @Test(arguments: [
    "", "2026", "2026-07-01", "2026-07-01T12:00:00", "2026-07-01T12:00Z", "2026-07-01 12:00:00Z",
    "2026-07-01T12:00:00.Z", "2026-07-01T12:00:00,5Z", "2026-07-01T12:00:00Z ",
    " 2026-07-01T12:00:00Z",
    "2026-00-01T12:00:00Z", "2026-13-01T12:00:00Z", "2026-07-00T12:00:00Z", "2026-07-32T12:00:00Z",
    "2026-06-31T12:00:00Z", "2025-02-29T12:00:00Z", "1900-02-29T12:00:00Z", "2024-02-30T12:00:00Z",
    "2026-07-01T24:00:00Z", "2026-07-01T12:60:00Z", "2026-07-01T12:00:61Z", "2026-07-01T12:00:60Z",
    "2026-07-01T23:59:60+01:00", "2026-07-01T12:00:00+24:00", "2026-07-01T12:00:00+01:60",
    "2026-07-01T12:00:00+0100", "2026-07-01T12:00:00+01", "2026-07-01T12:00:00+1:00",
    "2026-07-01T12:00:00\u{2212}01:00", "26-07-01T12:00:00Z", "+2026-07-01T12:00:00Z",
    "12026-07-01T12:00:00Z", "-001-07-01T12:00:00Z", "2026-7-1T12:00:00Z", "2026-07-01T1:00:00Z",
    "20260701T120000Z", "2026-W27-3T12:00:00Z", "2026-07-01T12:00:00Zulu", "٢٠٢٦-07-01T12:00:00Z",
    "2026-07-01T12:00:00+02:00Z", "1782900000000", "Wed, 01 Jul 2026 12:00:00 GMT",
    // In UTC these are outside the years 0 to 9999.
    "9999-12-31T23:59:59-00:01", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:60Z",
  ])
  func isRefused(text: String) { #expect(DateTime.milliseconds(text) == nil) }

  /// Date-times compared with the calendar of the C library.
  @Test func everyTimeIsWrittenAsTheCalendarHasItAndReadBack() {
    var random = SeededGenerator(seed: 3339)
    let range = DateTime.range
    var times = [range.lowerBound, range.upperBound, -1, 0, 1, 999, 1000, -86_400_000]
    for _ in 0..<4000 {
      let time = Int64.random(in: range, using: &random)
      times += [time, time - time % 86_400_000, time - time % 86_400_000 - 1]
      times.append(Int64.random(in: 0...4_102_444_800_000, using: &random))
    }
    for time in times where range.contains(time) {
      var seconds = Int(time / 1000)
      if time % 1000 < 0 { seconds -= 1 }
      var parts = tm()
      gmtime_r(&seconds, &parts)
      let text = DateTime.text(time)
      let expected: [Int32] = [
        parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min,
        parts.tm_sec,
      ]
      let numbers = text.dropLast().split { "-T:.".contains($0) }.compactMap { Int32($0) }
      let fraction = Int32(time - Int64(seconds) * 1000)
      #expect(numbers == (fraction == 0 ? expected : expected + [fraction]), "\(time): \(text)")
      #expect(text.utf8.count == (fraction == 0 ? 20 : 24) && text.hasSuffix("Z"))
      #expect(DateTime.milliseconds(text) == time)
    }
    #expect(DateTime.text(.max) == "9999-12-31T23:59:59.999Z")
    #expect(DateTime.text(.min) == "0000-01-01T00:00:00Z")
  }

  /// Mutated date-times are rejected or read as what they say.
  @Test func changedCharacters() {
    var random = SeededGenerator(seed: 4)
    let alphabet = Array("0123456789-+:.TZtz 59".unicodeScalars)
    let start = Array("2026-06-30T23:59:59.999+05:30".unicodeScalars)
    for _ in 0..<20_000 {
      var scalars = start
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<scalars.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: scalars.remove(at: place)
        case 1: scalars.insert(alphabet.randomElement(using: &random) ?? "0", at: place)
        default: scalars[place] = alphabet.randomElement(using: &random) ?? "0"
        }
      }
      let text = String(String.UnicodeScalarView(scalars))
      guard let time = DateTime.milliseconds(text) else { continue }
      #expect(DateTime.milliseconds(DateTime.text(time)) == time, "\(text)")
      // Local time minus the offset is UTC.
      #expect(
        abs(time - (DateTime.milliseconds(text.prefix(19) + "Z") ?? time)) < 86_400_000, "\(text)")
    }
  }
}

extension DateTime {
  fileprivate static func milliseconds(_ text: String) -> Int64? {
    Array(text.utf8).withUnsafeBytes { milliseconds($0) }
  }
}
