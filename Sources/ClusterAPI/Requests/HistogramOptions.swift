import ClusterCore
import GeoFormats

/// The histogram that a request asks for.
struct HistogramOptions: Sendable {
  /// Where the bins begin and end.
  enum Range: Sendable {
    case numbers(ClosedRange<Double>)
    /// In milliseconds since 1970.
    case times(ClosedRange<Double>)
  }

  var property: [UInt8]
  var bins: Int
  /// Nil for that of the values.
  var range: Range?

  static let maximumBins = 200

  /// The range, for numbers or for times.
  func range(isTime: Bool) throws(ImpossibleRequest) -> ClosedRange<Double>? {
    switch (range, isTime) {
    case (nil, _): return nil
    case (.numbers(let range)?, false), (.times(let range)?, true): return range
    case (.numbers?, true):
      throw ImpossibleRequest(
        field: "histogram", detail: "the property holds times, so range must be two of them")
    case (.times?, false):
      throw ImpossibleRequest(
        field: "histogram",
        detail: "the property is not a temporal one of the collection, so range must be two numbers"
      )
    }
  }
}

extension Fields {
  /// The histogram that is asked for.
  func histogram(_ name: String) throws -> HistogramOptions? {
    try withJSON(name) { json in
      let fields = try object(json, at: name, allowed: ["property", "bins", "range"])
      guard let property = try fields.property("property") else {
        throw fields.problem("property", "property is required")
      }
      guard let bins = try fields.integer("bins", in: 1...HistogramOptions.maximumBins) else {
        throw fields.problem("bins", "bins is required")
      }
      let range = try fields.withJSON("range") { try fields.histogramRange($0) }
      return HistogramOptions(property: property, bins: bins, range: range)
    }
  }

  private func histogramRange(_ json: JSONValue) throws(Problem) -> HistogramOptions.Range {
    let ends = Array(json.elements)
    let numbers = ends.compactMap(\.number)
    let times = ends.compactMap { $0.stringBytes.flatMap { DateTime.extent($0) } }
    let (from, to): (Double, Double)
    if json.kind == .array, ends.count == 2, numbers.count == 2 {
      (from, to) = (numbers[0], numbers[1])
    } else if json.kind == .array, ends.count == 2, times.count == 2 {
      (from, to) = (times[0].first, times[1].last)
    } else {
      throw problem("range", "range is two numbers, or two dates or date-times")
    }
    guard from < to else {
      throw problem("range", status: 422, "range does not end after it begins")
    }
    return numbers.isEmpty ? .times(from...to) : .numbers(from...to)
  }
}
