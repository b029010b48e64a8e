/// The steps in which grids follow the zoom: a grid is that of the zoom rounded down to a multiple of the step, so
/// that it stays the same while a client zooms within one.
public struct ZoomStep: Hashable, Sendable {
  /// The step, within ``values``.
  public let value: Double

  /// The steps that are accepted.
  public static let values: ClosedRange<Double> = 0.001...1
  /// The step of zooms themselves, which leaves them as they are.
  public static let finest = ZoomStep(0.001)

  /// Creates a step.
  public init(_ value: Double) { self.value = value }

  /// The share of a step that is rounding error: far more than a division in doubles has, and far less than a
  /// thousandth of a zoom is.
  private static let tolerance = 1e-9

  /// A zoom, which is rounded to 1/1000, rounded down to a multiple of the step.
  ///
  /// Steps are meant as the decimals or fractions that they are written as: 0.3 is three times 0.1, and 1 three
  /// times a third.
  public func roundedDown(_ zoom: Double) -> Double {
    guard self != .finest else { return zoom }
    let multiple = (zoom / value + ZoomStep.tolerance).rounded(.down) * value
    let rounded = Viewport.rounded(multiple)
    // The sum turns −0 into 0.
    return (abs(rounded - multiple) < ZoomStep.tolerance ? rounded : multiple) + 0
  }

  /// By how much more than the zoom itself a grid's zoom may fall short when a zoom becomes smaller by a whole
  /// number.
  var slackOfWholeZooms: Double { roundedDown(1) == 1 ? 0 : value }
}
