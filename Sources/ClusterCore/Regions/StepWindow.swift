/// An interval of degrees on one axis in position steps, which decides about most features without
/// reading their coordinates.
struct StepWindow {
  /// Positions outside these steps are outside the interval.
  let outer: ClosedRange<UInt32>?
  /// Positions strictly between these steps are inside the interval.
  let inner: (low: UInt32, high: UInt32)

  /// Creates the interval between the steps of its ends, in either order.
  init(_ a: UInt32, _ b: UInt32) {
    // The projection is monotone except for rounding errors, which are far smaller than a step.
    let (low, high) = (min(a, b), max(a, b))
    outer = (low == 0 ? 0 : low - 1)...(high == .max ? .max : high + 1)
    inner = (low == .max ? .max : low + 1, high == 0 ? 0 : high - 1)
  }

  private init() { (outer, inner) = (nil, (.max, 0)) }

  /// The empty interval.
  static let empty = StepWindow()

  /// Returns how much of a range of steps is in the interval.
  @inline(__always)
  func coverage(_ low: UInt32, _ high: UInt32) -> Coverage {
    guard let outer, low <= outer.upperBound, high >= outer.lowerBound else { return .outside }
    return low > inner.low && high < inner.high ? .inside : .partial
  }
}
