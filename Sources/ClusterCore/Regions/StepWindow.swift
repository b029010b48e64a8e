/// An interval of degrees on one axis in position steps, by which most features are told to be in or out
/// without a look at their coordinates.
struct StepWindow {
  /// Whatever is outside of these steps is outside of the interval.
  let outer: ClosedRange<UInt32>?
  /// Whatever is strictly between them is inside.
  let inner: (low: UInt32, high: UInt32)

  /// The interval between two steps at which its ends may be, either way up.
  init(_ a: UInt32, _ b: UInt32) {
    // The projection is monotone but for rounding, which is far less than a step.
    let (low, high) = (min(a, b), max(a, b))
    outer = (low == 0 ? 0 : low - 1)...(high == .max ? .max : high + 1)
    inner = (low == .max ? .max : low + 1, high == 0 ? 0 : high - 1)
  }

  private init() { (outer, inner) = (nil, (.max, 0)) }

  /// The interval of nothing.
  static let empty = StepWindow()

  /// How much of a range of steps lies in the interval.
  @inline(__always)
  func coverage(_ low: UInt32, _ high: UInt32) -> Coverage {
    guard let outer, low <= outer.upperBound, high >= outer.lowerBound else { return .outside }
    return low > inner.low && high < inner.high ? .inside : .partial
  }
}
