import ClusterCore
import FeatureStore
import GeoFormats
import Threading

extension JSONWriter {
  /// Writes the member `properties` with those that are selected.
  mutating func properties(
    of record: FeatureRecord, _ selection: AnnotationOptions.PropertySelection
  ) {
    switch selection {
    case .all: member("properties", raw: record.properties)
    case .none: object("properties") { _ in }
    case .names(let names):
      key("properties")
      Cancellation.poll(record.properties.count)
      PropertyReader.writeSelected(names: names, from: record.properties, into: &self)
    }
  }

  /// Writes a GeoJSON Feature of a collection in the form that a request wants.
  mutating func feature(_ record: FeatureRecord, of info: CollectionInfo, _ form: FeatureForm) {
    let tellsNever = info.ttl != nil
    if form.isWhole { return feature(record, tellsNever: tellsNever) }
    feature(record, hasGeometry: form.hasGeometry, tellsNever: tellsNever) { json in
      json.properties(of: record, form.properties)
      if let near = form.near { json.member("distance", near.metres(to: record.coordinate)) }
    }
  }

  /// Writes `{latitude, longitude}`.
  mutating func coordinate(_ coordinate: Coordinate) {
    self.coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Writes `[longitude, latitude]`.
  mutating func position(_ longitude: Double, _ latitude: Double) {
    array { json in
      json.value(longitude)
      json.value(latitude)
    }
  }

  /// Writes `{x, y, width, height}` in map points.
  mutating func mapRect(_ rect: MapRect) {
    object { json in
      json.member("x", rect.x)
      json.member("y", rect.y)
      json.member("width", rect.width)
      json.member("height", rect.height)
    }
  }
}

extension JSONLiteral {
  /// `[west, south, east, north]`.
  static func bounds(_ bounds: GeoBounds) -> JSONLiteral {
    .array([bounds.west, bounds.south, bounds.east, bounds.north].map { .number($0) })
  }
}
