import CVectors
import Glibc

/// The steps of latitudes, by Taylor polynomials of the projection around the middles of 512 intervals, which take less time than a
/// sine and a logarithm. Where a polynomial comes so close to an edge of a step that it leaves open which one it is, the projection
/// tells it, so that results are those of ``WebMercator/y(latitude:)``.
struct LatitudeSteps: @unchecked Sendable {
  // The coefficients of the powers 0...7 of the distance in degrees, in steps, by interval from the south. The table is
  // immutable and never freed, hence `@unchecked Sendable`.
  private let table: UnsafePointer<SIMD8<Double>>

  /// The only instance.
  static let shared = LatitudeSteps()

  private static let intervals = 512
  private static let intervalsPerDegree = Double(intervals) / (2 * WebMercator.maximumLatitude)
  /// The distance from an edge, in steps, within which a polynomial isn't trusted. The terms that are left out come to 1.1e-4 at
  /// the northern and the southern edge of the world, and to less elsewhere; what is lost by rounding, there as in the
  /// projection, to 1e-5.
  private static let tolerance = 1e-3

  private init() {
    let table = UnsafeMutablePointer<SIMD8<Double>>.allocate(capacity: LatitudeSteps.intervals)
    for interval in 0..<LatitudeSteps.intervals {
      (table + interval).initialize(
        to: LatitudeSteps.coefficients(at: LatitudeSteps.middle(Double(interval))))
    }
    self.table = UnsafePointer(table)
  }

  /// The polynomials, as vectorized code reads them.
  var forVectors: cvectors_steps {
    cvectors_steps(
      table: UnsafeRawPointer(table).assumingMemoryBound(to: Double.self),
      intervals: Double(LatitudeSteps.intervals),
      intervals_per_degree: LatitudeSteps.intervalsPerDegree,
      northern_edge: WebMercator.maximumLatitude, tolerance: LatitudeSteps.tolerance)
  }

  @inline(__always)
  private static func middle(_ interval: Double) -> Double {
    (interval + 0.5) / intervalsPerDegree - WebMercator.maximumLatitude
  }

  /// Returns the Taylor coefficients at a latitude in degrees.
  private static func coefficients(at latitude: Double) -> SIMD8<Double> {
    let radians = latitude * .pi / 180
    return TaylorSeries.coefficients(
      value: WebMercator.y(latitude: latitude) * Position.stepsPerMapPoint,
      factor: 1 / cos(radians), x: tan(radians), sign: 1,
      scale: -WebMercator.worldSize * Position.stepsPerMapPoint / (2 * .pi), unit: .pi / 180,
      powers: 7)
  }

  /// Returns the step that a latitude is in: that of `y(latitude:)`.
  @inline(__always)
  func step(of latitude: Double) -> UInt32 {
    let place = (latitude + WebMercator.maximumLatitude) * LatitudeSteps.intervalsPerDegree
    // Comparisons are false for NaN. Conversions to integers, unlike `rounded`, are no calls on processors without AVX.
    if place >= 0 && place < Double(LatitudeSteps.intervals) {
      let interval = Int(place)
      let (k, d) = (table[interval], latitude - LatitudeSteps.middle(Double(interval)))
      let d2 = d * d
      let upper = (k[4] + d * k[5]) + d2 * (k[6] + d * k[7])
      let steps = (k[0] + d * k[1]) + d2 * (k[2] + d * k[3]) + d2 * d2 * upper
      if steps >= 0 && steps < 0x1p32 {
        let whole = UInt32(steps)
        let rest = steps - Double(whole)
        if rest > LatitudeSteps.tolerance && rest < 1 - LatitudeSteps.tolerance { return whole }
      }
    }
    return Position.steps(WebMercator.y(latitude: latitude))
  }
}
