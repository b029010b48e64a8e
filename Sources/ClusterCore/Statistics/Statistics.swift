/// What an answer tells of each annotation's properties.
public struct Statistics: Sendable {
  /// What becomes of the numbers of a property.
  public enum Operation: String, Sendable, CaseIterable {
    case sum, mean, min, max
  }

  /// One statistic that has a name.
  public struct Aggregate: Sendable {
    /// Its name in the answer, in UTF-8.
    public var name: [UInt8]
    /// What it is.
    public var operation: Operation
    /// Of which property.
    public var column: PropertyColumn

    /// Creates an aggregate.
    public init(name: [UInt8], operation: Operation, column: PropertyColumn) {
      self.name = name
      self.operation = operation
      self.column = column
    }
  }

  /// Whose numbers are added up as weights.
  public var weights: PropertyColumn?
  /// Whose values are counted.
  public var countBy: KeyColumn?
  /// The rest; nil where none are asked for.
  public var aggregates: [Aggregate]?

  /// Nothing.
  public init() {}

  /// How many keys are counted by name.
  public static let maximumCounts = 100
  /// How many aggregates there can be.
  public static let maximumAggregates = 16
}
