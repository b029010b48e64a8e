import Glibc

/// Degrees of position steps, in whose place sums and bounds of several features have them: a step is at
/// most 8.4e-8 degrees wide, so its middle is never further than 4.2e-8 from any coordinate in it.
///
/// Latitudes come from a table of the inverse projection: of every 2^20 steps its value and its first
/// three derivatives in the middle (the Gudermannian function's, from φ' = cos φ).
struct StepDegrees: @unchecked Sendable {
  // Immutable, and never freed.
  private let table: UnsafePointer<SIMD4<Double>>

  /// The table of the process.
  static let shared = StepDegrees()

  private static let intervalBits: UInt32 = 20
  private static let half = Double(1 << (intervalBits - 1))
  /// Steps around the world.
  static let perWorld = 0x1p32
  private static let degreesPerStep = 360 / perWorld

  private init() {
    let count = 1 << (32 - Int(StepDegrees.intervalBits))
    let table = UnsafeMutablePointer<SIMD4<Double>>.allocate(capacity: count)
    let unit = -2 * Double.pi / StepDegrees.perWorld
    for interval in 0..<count {
      let middle = (Double(interval) + 0.5) / Double(count)
      let latitude = atan(sinh(.pi * (1 - 2 * middle)))
      let (sine, cosine) = (sin(latitude), cos(latitude))
      let derivatives = SIMD4(
        latitude, cosine * unit, -sine * cosine * unit * unit / 2,
        (2 * sine * sine - 1) * cosine * unit * unit * unit / 6)
      (table + interval).initialize(to: derivatives * (180 / .pi))
    }
    self.table = UnsafePointer(table)
  }

  /// The interval of the table that a y is in.
  @inline(__always)
  static func interval(of y: UInt32) -> Int { Int(y >> intervalBits) }

  /// The latitude of the middle of a step, in units of ``FixedDegrees``.
  @inline(__always)
  func latitude(_ y: UInt32) -> Int64 {
    let interval = StepDegrees.interval(of: y)
    let curve = Curve(self, interval)
    return FixedDegrees.fixed(fromUnits: curve.units(Double(y)))
  }

  /// The latitudes of one interval as a polynomial, in units of ``FixedDegrees``. The third derivative
  /// would change them by 4.3e-9 degrees at most and is left out.
  struct Curve {
    let a: Double
    let b: Double
    let c: Double
    /// The y, less half a step, at which the polynomial is developed.
    let middle: Double

    @inline(__always)
    init(_ degrees: StepDegrees, _ interval: Int) {
      let entry = degrees.table[interval] * FixedDegrees.perDegree
      (a, b, c) = (entry.x, entry.y, entry.z)
      middle = Double(interval << Int(StepDegrees.intervalBits)) + (StepDegrees.half - 0.5)
    }

    @inline(__always)
    func units(_ y: Double) -> Double {
      let distance = y - middle
      return a + distance * (b + distance * c)
    }
  }

  /// The longitude of the middle of a step, in degrees.
  @inline(__always)
  static func longitude(_ x: UInt32) -> Double { (Double(x) + 0.5) * degreesPerStep - 180 }

  /// The latitude at the northern edge of a step, in degrees, to 1e-11.
  private func northernEdge(_ y: Double) -> Double {
    let interval = min(Int(y) >> Int(StepDegrees.intervalBits), 4095)
    let distance = y - Double(interval << Int(StepDegrees.intervalBits)) - StepDegrees.half
    let entry = table[interval]
    return entry.x + distance * (entry.y + distance * (entry.z + distance * entry.w))
  }

  /// A latitude in a step: the one with seven decimals if there is one, which then is that of any
  /// feature in the step whose latitude has no more, else the middle.
  func roundedLatitude(_ y: UInt32) -> Double {
    StepDegrees.rounded(northernEdge(Double(y) + 1), northernEdge(Double(y)))
  }

  /// A longitude in a step, as above.
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

  /// The mean longitude of some steps' middles, in degrees.
  static func meanLongitude(sum: UInt64, count: Int) -> Double {
    // The quotient of integers first: sums of many have more bits than doubles.
    let (whole, rest) = sum.quotientAndRemainder(dividingBy: UInt64(count))
    return (Double(whole) + (Double(rest) / Double(count) + 0.5)) * degreesPerStep - 180
  }
}
