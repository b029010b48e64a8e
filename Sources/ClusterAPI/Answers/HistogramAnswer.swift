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
    isTime = temporal?.names.contains { Array($0.utf8) == options.property } ?? false
    let range = try options.range(isTime: isTime)
    let name = ColumnName(options.property, isTime ? .times : .values)
    try scope.collection.checkMemory(forColumns: [name])
    histogram = Histogram(
      of: scope.collection.column(name), bins: options.bins, range: range, in: cells, of: scope)
  }

  func write(into json: inout JSONWriter) {
    func literal(_ end: Double?) -> JSONLiteral {
      end.map { isTime ? .string(DateTime.text(Int64($0))) : .number($0) } ?? .null
    }
    let members: JSONLiteral = [
      "from": literal(histogram.range?.lowerBound), "to": literal(histogram.range?.upperBound),
      "counts": .array(histogram.counts.map { .integer($0) }),
      "missing": .integer(histogram.missing),
    ]
    json.members([("histogram", members)])
  }
}
