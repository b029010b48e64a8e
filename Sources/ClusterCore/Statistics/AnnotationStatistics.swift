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
