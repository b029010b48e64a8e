/// Degrees as integers, so that sums don't depend on the order of their terms: units of 2^−28
/// degrees (under 4e-9°). A hundred million features at longitude 180 still fit 64 bits.
enum FixedDegrees {
  static let perDegree: Double = 268_435_456

  @inline(__always)
  static func fixed(_ degrees: Double) -> Int64 {
    // Adding 1.5·2^52 leaves the nearest integer in the low bits of the sum: valid for magnitudes
    // below 2^51, of which 180·2^28 is far, and without a call to rint().
    Int64(bitPattern: (degrees * perDegree + magic).bitPattern &- magic.bitPattern)
  }

  /// As above, of degrees in units.
  @inline(__always)
  static func fixed(fromUnits units: Double) -> Int64 {
    Int64(bitPattern: (units + magic).bitPattern &- magic.bitPattern)
  }

  static let magic: Double = 0x1.8p52

  /// The mean of `count` values with the given sum.
  static func mean(sum: Int64, count: Int) -> Double {
    Double(sum) / (perDegree * Double(count))
  }
}
