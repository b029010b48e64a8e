internal import CSimdJSON
import Glibc  // the math functions behind rounded() are linked through it

extension JSONWriter {
  /// A number: the shortest text that reads back bit for bit; null if it isn't finite.
  public mutating func value(_ value: Double) {
    separate()
    // Most numbers on maps have few decimals. If the nearest multiple of 1e-7 divides back to the
    // very same double, then those digits (at most 15, so there is no shorter text) are its text.
    let scaled = (value * 1e7).rounded()
    if scaled.magnitude < 1e15, scaled / 1e7 == value, value != 0 {
      appendDecimal(Int64(scaled), places: 7)
    } else {
      appendShortest(value)
    }
  }

  /// An angle in degrees, rounded to 8 decimals (a millimetre), which is much faster than
  /// ``value(_:)-(Double)`` for computed numbers; null if it isn't finite.
  public mutating func degrees(_ value: Double) {
    let scaled = (value * 1e8).rounded()
    guard scaled.magnitude < 1e15 else { return self.value(value) }
    separate()
    appendDecimal(Int64(scaled), places: 8)
  }

  /// An integer.
  public mutating func value(_ value: Int64) {
    separate()
    appendDecimal(value, places: 0)
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

  private mutating func appendShortest(_ value: Double) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CSJ_DOUBLE_LENGTH)) { buffer in
      let length = csj_write_double(buffer.baseAddress, value)
      if length == 0 { return literal("null") }
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length]))
    }
  }

  /// Writes `scaled` / 10^`places` without trailing zeros after the point.
  @inline(__always)
  private mutating func appendDecimal(_ scaled: Int64, places: Int) {
    // A sign, 19 digits, a point and, before it, zeros for at most 8 places.
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
      var rest = scaled.magnitude
      var start = 32
      var missing = places
      // Drop trailing zeros of the fraction.
      while missing > 0, rest % 10 == 0 {
        rest /= 10
        missing -= 1
      }
      if missing > 0 {
        while missing > 0 {
          start -= 1
          buffer[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
          rest /= 10
          missing -= 1
        }
        start -= 1
        buffer[start] = UInt8(ascii: ".")
      }
      repeat {
        start -= 1
        buffer[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if scaled < 0 {
        start -= 1
        buffer[start] = UInt8(ascii: "-")
      }
      bytes.append(
        contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[start...]))
    }
  }
}
