internal import CSimdJSON

/// The digits of numbers, written into memory for ``JSONRoom/numberLength`` bytes.
extension JSONWriter {
  /// Writes an integer and returns its length in bytes.
  @usableFromInline
  static func encode(_ value: Int, at out: UnsafeMutablePointer<UInt8>) -> Int {
    // Columns, rows and counts are mostly such numbers, which have no sign and one part.
    if UInt(bitPattern: value) < 100_000_000 {
      let number = UInt32(truncatingIfNeeded: value)
      return number < 1000 ? encodeShort(number, at: out) : encodeFirst(number, at: out)
    }
    return encode(value.magnitude, negative: value < 0, at: out)
  }

  /// Writes a number and returns its length in bytes: the shortest text that reads back bit for bit, but 0
  /// for −0, or null if it is not finite.
  @usableFromInline
  static func encode(_ value: Double, at out: UnsafeMutablePointer<UInt8>) -> Int {
    // Most numbers on maps have few decimals. If the nearest multiple of 1e-8 divides back to the same
    // double, its digits are the text: they are at most 15, so that no shorter text exists.
    let magnitude = value.magnitude
    let scaled = magnitude * 1e8
    if scaled < 1e15, magnitude > 0 {
      // Doubles from 2^52 to 2^53 are integers, so the sum is rounded to one, whose low bits it holds.
      let sum = scaled + 0x1p52
      if (sum - 0x1p52) / 1e8 == magnitude {
        let nearest = sum.bitPattern & (1 << 52 - 1)
        // Below 1e-6, a number with more than 7 decimals is shorter with an exponent.
        if nearest >= 100 || nearest % 10 == 0 {
          return encodeDecimal(nearest, negative: value < 0, at: out)
        }
      }
    }
    return encodeShortest(value, at: out)
  }

  @inline(never)
  private static func encodeShortest(_ value: Double, at out: UnsafeMutablePointer<UInt8>) -> Int {
    let length = csj_write_double(
      UnsafeMutableRawPointer(out).assumingMemoryBound(to: CChar.self), value)
    if length > 0 { return length }
    for (index, byte) in "null".utf8.enumerated() { out[index] = byte }
    return 4
  }

  /// Writes `scaled` / 10^8 without trailing zeros after the point; `scaled` is below 2^52.
  @inline(__always)
  private static func encodeDecimal(
    _ scaled: UInt64, negative: Bool, at out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let whole = scaled / 100_000_000
    let fraction = scaled &- whole &* 100_000_000
    let length = encode(UInt(whole), negative: negative, at: out)
    guard fraction > 0 else { return length }
    let digits = eightDigits(UInt32(truncatingIfNeeded: fraction))
    out[length] = UInt8(ascii: ".")
    store(digits, at: out + length + 1)
    return length &+ 9 &- digits.leadingZeroBitCount / 8
  }

  /// Writes a sign and at most 20 digits and returns their length. Up to 7 bytes after them change.
  @inline(__always)
  private static func encode(
    _ magnitude: UInt, negative: Bool, at out: UnsafeMutablePointer<UInt8>
  ) -> Int {
    out.pointee = UInt8(ascii: "-")
    var end = negative ? out + 1 : out
    if magnitude < 1000 {
      end += encodeShort(UInt32(truncatingIfNeeded: magnitude), at: end)
      return end - out
    }
    if magnitude < 100_000_000 {
      end += encodeFirst(UInt32(truncatingIfNeeded: magnitude), at: end)
      return end - out
    }
    let (above, last) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
    if above < 100_000_000 {
      end += encodeFirst(UInt32(truncatingIfNeeded: above), at: end)
    } else {
      // At most 20 digits: 4, 8 and 8.
      let (first, second) = above.quotientAndRemainder(dividingBy: 100_000_000)
      end += encodeFirst(UInt32(truncatingIfNeeded: first), at: end)
      store(eightDigits(UInt32(truncatingIfNeeded: second)), at: end)
      end += 8
    }
    store(eightDigits(UInt32(truncatingIfNeeded: last)), at: end)
    return end + 8 - out
  }

  /// Writes at most 3 digits without leading zeros.
  @inline(__always)
  private static func encodeShort(_ value: UInt32, at out: UnsafeMutablePointer<UInt8>) -> Int {
    // Multiplications instead of divisions, exact in this range.
    let hundreds = (value &* 656) &>> 16
    let rest = value &- hundreds &* 100
    let tens = (rest &* 103) &>> 10
    let ones = rest &- tens &* 10
    let digits = hundreds | tens &<< 8 | ones &<< 16 | 0x30_3030
    let zeros: UInt32 = value < 10 ? 2 : value < 100 ? 1 : 0
    UnsafeMutableRawPointer(out).storeBytes(
      of: (digits &>> (zeros &* 8)).littleEndian, as: UInt32.self)
    return Int(3 &- zeros)
  }

  /// Writes at most 8 digits without leading zeros.
  @inline(__always)
  private static func encodeFirst(_ value: UInt32, at out: UnsafeMutablePointer<UInt8>) -> Int {
    let digits = eightDigits(value)
    // The last digit stays, even of 0.
    let zeros = (digits | 1 << 56).trailingZeroBitCount / 8
    store(digits >> UInt64(zeros * 8), at: out)
    return 8 - zeros
  }

  @inline(__always)
  private static func store(_ digits: UInt64, at out: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(out).storeBytes(
      of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
  }

  /// The 8 decimal digits of a number below 10^8, the first digit in the lowest byte. It splits fields of
  /// 4, 2 and 1 digits in parallel; the divisions by 100 and 10 are multiplications, which are exact in
  /// these ranges (P. Khuong, "How to print integers really fast").
  @inline(__always)
  static func eightDigits(_ value: UInt32) -> UInt64 {
    let high = value / 10_000
    let fours = UInt64(high) | UInt64(value &- high &* 10_000) &<< 32
    let upper = ((fours &* 10_486) >> 20) & 0x0000_007F_0000_007F
    let twos = ((fours &- 100 &* upper) << 16) &+ upper
    let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
    return tens &+ ((twos &- 10 &* tens) << 8)
  }
}
