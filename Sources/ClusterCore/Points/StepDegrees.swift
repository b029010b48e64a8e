import CVectors
import Glibc

/// The degrees of position steps, which sums and bounds of several features use in place of
/// coordinates. A step is at most 8.4e-8 degrees wide, so its middle is off by at most 4.2e-8.
///
/// Latitudes are Taylor polynomials of the inverse projection around the middles of 256 intervals.
struct StepDegrees: @unchecked Sendable {
  // The coefficients of the powers 0...6 of the distance in steps, in units of FixedDegrees, by
  // interval. The table is immutable and never freed, hence `@unchecked Sendable`.
  private let table: UnsafePointer<SIMD8<Double>>

  /// The only instance.
  static let shared = StepDegrees()

  private static let intervalBits: UInt32 = 24
  private static let half = Double(1 << (intervalBits - 1))
  private static let intervals = 1 << (32 - Int(intervalBits))
  /// The number of steps around the world.
  private static let perWorld = 0x1p32
  private static let degreesPerStep = 360 / perWorld

  private init() {
    let table = UnsafeMutablePointer<SIMD8<Double>>.allocate(capacity: StepDegrees.intervals)
    for interval in 0..<StepDegrees.intervals {
      let middle = (Double(interval) + 0.5) / Double(StepDegrees.intervals)
      (table + interval).initialize(to: StepDegrees.coefficients(at: .pi * (1 - 2 * middle)))
    }
    self.table = UnsafePointer(table)
  }

  /// Returns the Taylor coefficients at an ordinate t.
  private static func coefficients(at t: Double) -> SIMD8<Double> {
    let latitude = atan(sinh(t))
    let series = TaylorSeries.coefficients(
      value: latitude, factor: cos(latitude), x: sin(latitude), sign: -1, unit: -2 * .pi / perWorld,
      powers: 6)
    return series * (180 / .pi * FixedDegrees.perDegree)
  }

  /// Returns the interval of the table that contains a y.
  @inline(__always)
  static func interval(of y: UInt32) -> Int { Int(y >> intervalBits) }

  /// Returns the table in the form that vector code takes, for points in one or several intervals.
  @inline(__always)
  func forVectors(isOneInterval: Bool) -> cvectors_latitudes {
    cvectors_latitudes(
      table: UnsafeRawPointer(table).assumingMemoryBound(to: Double.self),
      interval_bits: StepDegrees.intervalBits, is_one_interval: isOneInterval)
  }

  /// Returns the latitude of the middle of a step in units of ``FixedDegrees``.
  @inline(__always)
  func latitude(_ y: UInt32) -> Int64 {
    FixedDegrees.fixed(fromUnits: Curve(self, StepDegrees.interval(of: y)).units(Double(y)))
  }

  /// The latitudes of one interval as a polynomial of degree 4, in units of ``FixedDegrees``. The
  /// omitted terms are at most 3e-9 degrees.
  struct Curve {
    let coefficients: SIMD8<Double>
    /// The y, less half a step, around which the polynomial is expanded.
    let middle: Double

    @inline(__always)
    init(_ degrees: StepDegrees, _ interval: Int) {
      coefficients = degrees.table[interval]
      middle = Double(interval << Int(StepDegrees.intervalBits)) + (StepDegrees.half - 0.5)
    }

    @inline(__always)
    func units(_ y: Double) -> Double {
      let (k, distance) = (coefficients, y - middle)
      return k[0] + distance * (k[1] + distance * (k[2] + distance * (k[3] + distance * k[4])))
    }
  }

  /// Returns the latitude of the northern edge of a step in degrees, accurate to 1e-12.
  private func northernEdge(_ y: Double) -> Double {
    let interval = min(Int(y) >> Int(StepDegrees.intervalBits), StepDegrees.intervals - 1)
    let distance = y - Double(interval << Int(StepDegrees.intervalBits)) - StepDegrees.half
    let k = table[interval]
    let upper = ((k[6] * distance + k[5]) * distance + k[4]) * distance + k[3]
    let units = ((upper * distance + k[2]) * distance + k[1]) * distance + k[0]
    return units / FixedDegrees.perDegree
  }

  /// Returns a latitude in a step: the one with seven decimals, which is exact for all features in the
  /// step that have no more, or the middle if there is none.
  func roundedLatitude(_ y: UInt32) -> Double {
    StepDegrees.rounded(northernEdge(Double(y) + 1), northernEdge(Double(y)))
  }

  /// Returns the longitude of the middle of a step in degrees.
  @inline(__always)
  static func longitude(_ x: UInt32) -> Double { (Double(x) + 0.5) * degreesPerStep - 180 }

  /// Returns a longitude in a step: one with seven decimals if there is one, else the middle.
  func roundedLongitude(_ x: UInt32) -> Double {
    let west = Double(x) * StepDegrees.degreesPerStep - 180
    return StepDegrees.rounded(west, west + StepDegrees.degreesPerStep)
  }

  private static func rounded(_ low: Double, _ high: Double) -> Double {
    let decimal = ((low - tolerance) * 1e7).rounded(.up) / 1e7
    if decimal < high + tolerance && decimal < 180 { return decimal }
    return ((low + high) / 2 * 1e8).rounded() / 1e8
  }

  private static let tolerance = 1e-11

  /// Returns the mean longitude of the middles of some steps in degrees.
  static func meanLongitude(sum: UInt64, count: Int) -> Double {
    // Divides the integers first, because large sums exceed the precision of doubles.
    let (whole, rest) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return (Double(whole) + (Double(rest) / Double(count) + 0.5)) * degreesPerStep - 180
  }

  /// Returns the latitude of a feature in units of ``FixedDegrees``: that of its step, or the exact one
  /// beyond the projection.
  @inline(__always)
  func latitude(_ y: UInt32, exactly coordinate: @autoclosure () -> Coordinate) -> Int64 {
    y == 0 || y == .max ? FixedDegrees.fixed(coordinate().latitude) : latitude(y)
  }
}

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
