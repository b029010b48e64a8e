internal import CSimdJSON

extension JSONWriter {
  /// A number: the shortest text that reads back bit for bit; null if it isn't finite.
  public mutating func value(_ value: Double) {
    separate()
    // Most numbers on maps have few decimals. If the nearest multiple of 1e-7 divides back to the
    // very same double, then those digits (at most 15, so there is no shorter text) are its text.
    let scaled = value * 1e7
    if scaled.magnitude < 1e15, value != 0 {
      let nearest = JSONWriter.nearest(scaled)
      guard Double(nearest) / 1e7 == value else { return appendShortest(value) }
      appendDecimal(nearest * 10)
    } else {
      appendShortest(value)
    }
  }

  /// An angle in degrees, rounded to 8 decimals (a millimetre), which is much faster than
  /// ``value(_:)-(Double)`` for computed numbers; null if it isn't finite.
  public mutating func degrees(_ value: Double) {
    let scaled = value * 1e8
    guard scaled.magnitude < 1e15 else { return self.value(value) }
    separate()
    appendDecimal(JSONWriter.nearest(scaled))
  }

  /// An integer.
  public mutating func value(_ value: Int64) {
    separate()
    appendInteger(value)
  }

  /// An integer.
  public mutating func value(_ value: Int) { self.value(Int64(value)) }

  /// `{"latitude":…,"longitude":…}`, bit for bit.
  public mutating func coordinate(latitude: Double, longitude: Double) {
    beginObject()
    member("latitude", latitude)
    member("longitude", longitude)
    endObject()
  }

  /// `{"latitude":…,"longitude":…}`, rounded as by ``degrees(_:)``.
  public mutating func roundedCoordinate(latitude: Double, longitude: Double) {
    beginObject()
    key("latitude")
    degrees(latitude)
    key("longitude")
    degrees(longitude)
    endObject()
  }

  /// The nearest integer, near enough: ties are rounded away from zero, and so may be what is a
  /// hair from one. Without SSE 4.1 rounded() is a call. The magnitude must be below 2^52.
  @inline(__always)
  private static func nearest(_ value: Double) -> Int64 {
    Int64(value < 0 ? value - 0.5 : value + 0.5)
  }

  private mutating func appendShortest(_ value: Double) {
    write(atMost: Int(CSJ_DOUBLE_LENGTH)) { out in
      csj_write_double(UnsafeMutableRawPointer(out).assumingMemoryBound(to: CChar.self), value)
    }
    if !value.isFinite { literal("null") }
  }

  /// Writes an integer.
  @inline(__always)
  mutating func appendInteger(_ value: Int64) {
    write(atMost: 20) { JSONWriter.print(value.magnitude, negative: value < 0, at: $0) }
  }

  /// Writes `scaled` / 10^8 without trailing zeros after the point.
  @inline(__always)
  private mutating func appendDecimal(_ scaled: Int64) {
    write(atMost: 30) { out in
      let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: 100_000_000)
      let length = JSONWriter.print(whole, negative: scaled < 0, at: out)
      guard fraction > 0 else { return length }
      let digits = JSONWriter.eightDigits(UInt32(truncatingIfNeeded: fraction))
      out[length] = UInt8(ascii: ".")
      UnsafeMutableRawPointer(out + length + 1).storeBytes(
        of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
      return length + 1 + 8 - digits.leadingZeroBitCount / 8
    }
  }

  /// The 8 decimal digits of a number below 10^8, the first one in the lowest byte. Fields of 4, then
  /// 2, then 1 digit are split at once; the divisions by 100 and 10 are multiplications that are
  /// exact in these ranges (P. Khuong, "How to print integers really fast").
  @inline(__always)
  static func eightDigits(_ value: UInt32) -> UInt64 {
    let fours = UInt64(value / 10_000) | UInt64(value % 10_000) << 32
    let upper = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let twos = ((fours &- 100 &* upper) << 16) &+ upper
    let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
    return tens &+ ((twos &- 10 &* tens) << 8)
  }

  /// Writes a sign and at most 19 digits; returns how many bytes that were.
  @inline(__always)
  private static func print(
    _ magnitude: UInt64, negative: Bool, at out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var count = negative ? 2 : 1
    var bound = magnitude
    while bound >= 10 {
      bound /= 10
      count += 1
    }
    var rest = magnitude
    var place = count
    repeat {
      place -= 1
      out[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    if negative { out.pointee = UInt8(ascii: "-") }
    return count
  }
}
