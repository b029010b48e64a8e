/// The column that a filter reads of a property: its values, or the times in them.
public struct ColumnName: Hashable, Sendable {
  /// How values are read.
  public enum Reading: Hashable, Sendable {
    case values
    /// The first millisecond since 1970 of each date-time and date; other values are missing.
    case times
    /// The last millisecond of each date; other values are missing.
    case days
  }

  /// Stands for a feature's id where the name of a property does. No property has this name, as it isn't UTF-8.
  public static let featureID: [UInt8] = [0xFF]

  /// The UTF-8 of the property's name.
  public var property: [UInt8]
  /// How its values are read.
  public var reading: Reading

  /// Creates a name.
  public init(_ property: [UInt8], _ reading: Reading = .values) {
    (self.property, self.reading) = (property, reading)
  }
}
