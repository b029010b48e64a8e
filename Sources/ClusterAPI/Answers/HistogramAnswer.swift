import ClusterCore
import Collections
import FeatureStore
import GeoFormats

/// A histogram of the features of a view.
struct HistogramAnswer {
  private let histogram: Histogram
  private let isTime: Bool

  /// Throws ``ImpossibleRequest`` if its range is of the wrong type.
  init(
    _ options: HistogramOptions, in cells: GridRange, of scope: FeatureScope,
    _ temporal: TemporalProperties?
  ) throws(ImpossibleRequest) {
    isTime = HistogramAnswer.isTime(options, temporal)
    let range = try options.range(isTime: isTime)
    let name = HistogramAnswer.columnName(options, temporal)
    try scope.collection.checkMemory(forColumns: [name])
    histogram = Histogram(
      of: scope.collection.column(name), bins: options.bins, range: range, in: cells, of: scope)
  }

  /// The column that a histogram counts.
  static func columnName(
    _ options: HistogramOptions, _ temporal: TemporalProperties?
  ) -> ColumnName {
    ColumnName(options.property, isTime(options, temporal) ? .times : .values)
  }

  private static func isTime(
    _ options: HistogramOptions, _ temporal: TemporalProperties?
  ) -> Bool {
    temporal?.names.contains { Array($0.utf8) == options.property } ?? false
  }

  func write(into json: inout JSONWriter) {
    json.object("histogram") { json in
      for (name, end) in [
        ("from" as StaticString, histogram.range?.lowerBound), ("to", histogram.range?.upperBound),
      ] {
        json.key(name)
        if let end {
          if isTime { json.value(DateTime.text(Int64(end))) } else { json.value(end) }
        } else {
          json.null()
        }
      }
      json.array("counts") { json in for count in histogram.counts { json.value(count) } }
      json.member("missing", histogram.missing)
    }
  }
}
