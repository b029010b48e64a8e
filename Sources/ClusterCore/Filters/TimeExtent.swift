/// A date-time, or a date, which is that whole day in UTC: its first and its last millisecond since 1970.
///
/// One is before another if all of it is, and both are the same if they have the same ends.
public struct TimeExtent: Hashable, Sendable, BitwiseCopyable {
  /// The first millisecond.
  public var first: Double
  /// The last millisecond.
  public var last: Double

  /// Creates an extent, where `first` is not after `last`.
  public init(first: Double, last: Double) { (self.first, self.last) = (first, last) }

  /// Before and after all times: the ends of unbounded intervals.
  public static let past = TimeExtent(first: -.infinity, last: -.infinity)
  /// See ``past``.
  public static let future = TimeExtent(first: .infinity, last: .infinity)

  /// Stands for no time; all comparisons with it are false.
  static let unknown = TimeExtent(first: .nan, last: .nan)

  @inline(__always)
  func isBefore(_ other: TimeExtent) -> Bool { last < other.first }
  @inline(__always)
  func isSame(_ other: TimeExtent) -> Bool { first == other.first && last == other.last }

  /// Returns whether a comparison of two known times holds. `<=` is not `>`, and `>=` is not `<`.
  func holds(_ comparison: FilterExpression.Comparison, _ other: TimeExtent) -> Bool {
    switch comparison {
    case .equal: isSame(other)
    case .notEqual: !isSame(other)
    case .less: isBefore(other)
    case .lessOrEqual: !other.isBefore(self)
    case .greater: other.isBefore(self)
    case .greaterOrEqual: !isBefore(other)
    }
  }
}
