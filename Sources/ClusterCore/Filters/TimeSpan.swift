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
