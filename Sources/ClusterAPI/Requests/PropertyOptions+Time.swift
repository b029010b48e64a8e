import ClusterCore
import Collections
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

extension ViewportRequest {
  /// The request with its span of time as a part of its filter.
  consuming func resolved(
    by temporal: @autoclosure () -> TemporalProperties?
  ) -> ViewportRequest {
    guard needs.contains(.datetime) else { return self }
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
