/// An operand of a temporal function: from one time to another, which are the same for an instant.
public struct TimeSpan: Hashable, Sendable {
  /// An end of a span.
  public enum End: Hashable, Sendable {
    /// The time in a property, by the UTF-8 of its name.
    case property([UInt8])
    /// A given time.
    case time(TimeExtent)

    var time: TimeExtent? { if case .time(let time) = self { time } else { nil } }
    var property: [UInt8]? { if case .property(let name) = self { name } else { nil } }
  }

  /// Where it begins.
  public var start: End
  /// Where it ends.
  public var end: End

  /// Creates a span.
  public init(start: End, end: End) { (self.start, self.end) = (start, end) }

  /// Creates the span of an instant.
  public init(_ instant: End) { self.init(start: instant, end: instant) }

  /// Both ends if they are given.
  var times: (start: TimeExtent, end: TimeExtent)? {
    guard let start = start.time, let end = end.time else { return nil }
    return (start, end)
  }

  /// The names of its properties.
  var properties: [[UInt8]] { [start.property, end.property].compactMap(\.self) }
}

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

/// How two intervals of time lie to each other: CQL2's temporal functions. They are defined by comparisons of
/// the ends (OGC 21-065r2, table 7).
public enum TimeRelation: String, Hashable, Sendable, CaseIterable {
  case after, before, contains, disjoint, during, equals, finishedBy, finishes, intersects, meets
  case metBy, overlappedBy, overlaps, startedBy, starts

  /// The relation of the second interval to the first.
  var inverse: TimeRelation {
    switch self {
    case .after: .before
    case .before: .after
    case .contains: .during
    case .during: .contains
    case .finishedBy: .finishes
    case .finishes: .finishedBy
    case .meets: .metBy
    case .metBy: .meets
    case .overlappedBy: .overlaps
    case .overlaps: .overlappedBy
    case .startedBy: .starts
    case .starts: .startedBy
    case .disjoint, .equals, .intersects: self
    }
  }

  /// Returns whether the relation holds for intervals from `a` to `b` and from `c` to `d`.
  func holds(_ a: TimeExtent, _ b: TimeExtent, _ c: TimeExtent, _ d: TimeExtent) -> Bool {
    switch self {
    case .after: d.isBefore(a)
    case .before: b.isBefore(c)
    case .contains: a.isBefore(c) && d.isBefore(b)
    case .disjoint: b.isBefore(c) || d.isBefore(a)
    case .during: c.isBefore(a) && b.isBefore(d)
    case .equals: a.isSame(c) && b.isSame(d)
    case .finishedBy: a.isBefore(c) && b.isSame(d)
    case .finishes: c.isBefore(a) && b.isSame(d)
    case .intersects: !b.isBefore(c) && !d.isBefore(a)
    case .meets: b.isSame(c)
    case .metBy: a.isSame(d)
    case .overlappedBy: c.isBefore(a) && a.isBefore(d) && d.isBefore(b)
    case .overlaps: a.isBefore(c) && c.isBefore(b) && b.isBefore(d)
    case .startedBy: a.isSame(c) && d.isBefore(b)
    case .starts: a.isSame(c) && b.isBefore(d)
    }
  }
}
