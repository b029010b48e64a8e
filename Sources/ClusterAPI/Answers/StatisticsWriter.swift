import ClusterCore
import GeoFormats

/// Encodes the statistics of annotations.
final class StatisticsWriter {
  private let wanted: Statistics
  private let fields: AnnotationFields
  private let collector: StatisticsCollector

  /// Nil if annotations carry none of the statistics.
  init?(
    _ statistics: Statistics, _ fields: AnnotationFields, of result: ClusterResult
  ) throws(ImpossibleRequest) {
    var wanted = statistics
    if !fields.contains(.weight) { wanted.weights = nil }
    guard wanted.weights != nil || wanted.countBy != nil || wanted.aggregates != nil else {
      return nil
    }
    (self.wanted, self.fields) = (wanted, fields)
    collector = try StatisticsCollector(wanted, of: result)
  }

  /// Writes the members `weight`, `counts`, `otherCount` and `aggregates`, as far as they are asked for.
  func write(_ annotation: Annotation, into json: inout JSONWriter) {
    let found = collector.statistics(of: annotation)
    if let weight = found.weight { json.member("weight", weight) }
    if wanted.countBy != nil {
      if fields.contains(.counts) {
        json.object("counts") { json in
          for (key, count) in found.counts where json.count <= AnswerLimit.whole {
            key.withUnsafeBytes { json.keyUTF8($0) }
            json.value(count)
          }
        }
      }
      if fields.contains(.otherCount) { json.member("otherCount", found.otherCount) }
    }
    guard let aggregates = wanted.aggregates else { return }
    json.object("aggregates") { json in
      for (aggregate, value) in zip(aggregates, found.aggregates) {
        aggregate.name.withUnsafeBytes { json.keyUTF8($0) }
        if let value { json.value(value) } else { json.null() }
      }
    }
  }
}
