/// Degrees as integers in units of 2^−28 degrees (under 4e-9°), so that sums don't depend on the
/// order of their terms. The sum of a hundred million longitudes of 180° fits 64 bits.
enum FixedDegrees {
  static let perDegree: Double = 268_435_456

  @inline(__always)
  static func fixed(_ degrees: Double) -> Int64 {
    // Adding 1.5·2^52 leaves the nearest integer in the low bits of the sum without a call to
    // rint(). This is valid for magnitudes below 2^51; 180·2^28 is far below.
    Int64(bitPattern: (degrees * perDegree + magic).bitPattern &- magic.bitPattern)
  }

  /// Returns degrees that are already in units, rounded to an integer.
  @inline(__always)
  static func fixed(fromUnits units: Double) -> Int64 {
    Int64(bitPattern: (units + magic).bitPattern &- magic.bitPattern)
  }

  static let magic: Double = 0x1.8p52

  /// Returns the mean of `count` values with the given sum, in degrees.
  static func mean(sum: Int64, count: Int) -> Double {
    Double(sum) / (perDegree * Double(count))
  }
}
