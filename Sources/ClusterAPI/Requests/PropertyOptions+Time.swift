import ClusterCore
import FeatureStore

extension PropertyOptions {
  /// The options with the span of time as a part of the filter, for a collection whose features have their times
  /// in some properties.
  func resolved(by temporal: TemporalProperties?) -> PropertyOptions {
    guard let datetime else { return self }
    var options = self
    options.datetime = nil
    options.filter = filter.narrowed(to: datetime, of: temporal)
    return options
  }
}

extension FilterExpression? {
  /// The filter for features whose time overlaps a span as well. Features without a time pass, and one with only
  /// a start or only an end has no other bound.
  func narrowed(to span: TimeExtent?, of temporal: TemporalProperties?) -> FilterExpression? {
    guard let span, let temporal, span != TimeExtent(first: -.infinity, last: .infinity) else {
      return self
    }
    let windows: [FilterExpression]
    switch temporal {
    case .instant(let name): windows = [.window(property: Array(name.utf8), span)]
    case .span(let start, let end):
      windows = [
        .window(property: Array(start.utf8), TimeExtent(first: -.infinity, last: span.last)),
        .window(property: Array(end.utf8), TimeExtent(first: span.first, last: .infinity)),
      ]
    }
    let all = [self].compactMap(\.self) + windows
    return all.count == 1 ? all[0] : .and(all)
  }
}

extension ViewportRequest {
  /// The request with its span of time as a part of its filter.
  consuming func resolved(
    by temporal: @autoclosure () -> TemporalProperties?
  ) -> ViewportRequest {
    guard hasDatetime else { return self }
    values.cell.properties = values.cell.properties.resolved(by: temporal())
    return self
  }
}

extension PinRequest {
  /// The request with its span of time as a part of its filter.
  func resolved(by temporal: TemporalProperties?) -> PinRequest {
    var request = self
    request.filter = filter.narrowed(to: datetime, of: temporal)
    return request
  }
}
