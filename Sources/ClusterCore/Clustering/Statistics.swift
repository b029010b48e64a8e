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

/// The statistics of one annotation.
public struct AnnotationStatistics: Sendable {
  /// The sum of its weights, if asked for.
  public var weight: Double?
  /// The most frequent keys, the most frequent first, equal ones by their UTF-8; and how often.
  public var counts: [(key: [UInt8], count: Int)] = []
  /// How many features have other keys.
  public var otherCount = 0
  /// The aggregates in the order in which they were asked for; nil where there is no number.
  public var aggregates: [Double?] = []
}
