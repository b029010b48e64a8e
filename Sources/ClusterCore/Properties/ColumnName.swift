/// What a filter asks of a property: its values, or the times in them.
public struct ColumnName: Hashable, Sendable {
  /// How values are read.
  public enum Reading: Hashable, Sendable {
    case values
    /// The first millisecond since 1970 of each date-time and date; other values are missing.
    case times
    /// The last millisecond of each date; other values are missing.
    case days
  }

  /// The UTF-8 of the property's name.
  public var property: [UInt8]
  /// How its values are read.
  public var reading: Reading

  /// Creates a name.
  public init(_ property: [UInt8], _ reading: Reading = .values) {
    (self.property, self.reading) = (property, reading)
  }
}
