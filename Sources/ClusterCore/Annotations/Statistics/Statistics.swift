/// The statistics of properties that a client asks for with each annotation.
public struct Statistics: Sendable {
  /// The operations on the values of a property.
  public enum Operation: Hashable, Sendable {
    case sum, mean, min, max
    /// The number in the middle; of an even number of them the mean of both.
    case median
    /// The number of different values of any type.
    case distinct
    /// By nearest rank, of some percent from 1 to 99.
    case percentile(Int)

    /// The operation with a name; nil if there is none.
    public init?(_ name: String) {
      switch name {  // Characters: words that are equal to themselves only
      case "sum": self = .sum
      case "mean": self = .mean
      case "min": self = .min
      case "max": self = .max
      case "median": self = .median
      case "distinct": self = .distinct
      default:
        let digits = name.utf8.dropFirst()
        guard name.utf8.first == UInt8(ascii: "p"), (1...2).contains(digits.count),
          digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let percent = Int(Substring(digits)),
          percent > 0
        else { return nil }
        self = .percentile(percent)
      }
    }

    /// The names of all.
    public static let names = "sum, mean, min, max, median, distinct and p1 to p99"

    /// Whether it looks at the values one by one.
    public var needsValues: Bool {
      switch self {
      case .sum, .mean, .min, .max: false
      case .median, .distinct, .percentile: true
      }
    }
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
  /// The most features of a view of which values are looked at one by one.
  public static let maximumValues = 1_000_000

  /// Throws if a view has too many features for operations that look at values one by one.
  public static func check(values features: Int) throws(ImpossibleRequest) {
    guard features > maximumValues else { return }
    throw ImpossibleRequest(
      field: "aggregate",
      detail: "median, distinct and percentiles look at all values, and there are \(features) "
        + "features, more than \(maximumValues); a smaller rectangle, a filter, or sum, mean, min and "
        + "max would do")
  }
}

/// The statistics of one annotation.
public struct AnnotationStatistics: Sendable {
  /// The sum of the features' weights, if requested.
  public var weight: Double?
  /// The most frequent keys with their numbers of features, by descending count, then by UTF-8.
  public var counts: [(key: [UInt8], count: Int)] = []
  /// The number of features with other keys.
  public var otherCount = 0
  /// The aggregates in the order of the request; nil where no feature has a number.
  public var aggregates: [Double?] = []
}
