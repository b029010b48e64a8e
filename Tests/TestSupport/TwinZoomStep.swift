/// The step in which a grid follows the zoom, as the fraction that it is meant to be.
public struct TwinZoomStep: Equatable, Sendable {
  let (numerator, denominator): (Int, Int)

  /// That of zooms themselves.
  public static let finest = TwinZoomStep(1, 1000)
  /// Whole zooms, decimals, and fractions that no decimal is.
  public static let some = [
    TwinZoomStep(1, 1), .init(1, 2), .init(1, 4), .init(1, 10), .init(3, 10), .init(7, 10),
    .init(1, 3),
    .init(5, 7), .init(1, 1000), .init(1, 100), .init(999, 1000),
  ]

  /// A fraction within 0.001…1.
  public init(_ numerator: Int, _ denominator: Int) {
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// What a client sends.
  public var value: Double { Double(numerator) / Double(denominator) }

  /// A zoom of thousandths, rounded down to a multiple, in whole numbers.
  public func roundedDown(_ zoom: Double) -> Double {
    let thousandths = Int((zoom * 1000).rounded(.toNearestOrAwayFromZero))
    let (dividend, divisor) = (thousandths * denominator, 1000 * numerator)
    var steps = dividend / divisor
    if steps * divisor > dividend { steps -= 1 }
    return Double(steps * numerator) / Double(denominator)
  }
}
