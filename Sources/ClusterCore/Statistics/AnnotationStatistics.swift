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
