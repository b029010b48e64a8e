/// The statistics of properties that a client asks for with each annotation.
public struct Statistics: Sendable {
  /// The operations on the numbers of a property.
  public enum Operation: String, Sendable, CaseIterable {
    case sum, mean, min, max
  }

  /// A named aggregate of a property.
  public struct Aggregate: Sendable {
    /// The name in the answer, in UTF-8.
    public var name: [UInt8]
    /// The operation.
    public var operation: Operation
    /// The numbers of the property.
    public var column: PropertyColumn

    /// Creates an aggregate.
    public init(name: [UInt8], operation: Operation, column: PropertyColumn) {
      self.name = name
      self.operation = operation
      self.column = column
    }
  }

  /// The property whose numbers are added up as weights.
  public var weights: PropertyColumn?
  /// The property whose values are counted.
  public var countBy: KeyColumn?
  /// The aggregates; nil if none are requested.
  public var aggregates: [Aggregate]?

  /// Creates a request for no statistics.
  public init() {}

  /// The maximum number of keys that are counted by name.
  public static let maximumCounts = 100
  /// The maximum number of aggregates.
  public static let maximumAggregates = 16
}
