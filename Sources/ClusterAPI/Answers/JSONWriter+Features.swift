import ClusterCore
import GeoFormats

extension JSONWriter {
  /// Writes the member `properties` with those that are selected.
  mutating func properties(
    of record: FeatureRecord, _ selection: AnnotationOptions.PropertySelection
  ) {
    switch selection {
    case .all: member("properties", raw: record.properties)
    case .none:
      key("properties")
      beginObject()
      endObject()
    case .names(let names):
      key("properties")
      PropertyReader.writeSelected(names: names, from: record.properties, into: &self)
    }
  }

  /// Writes `{latitude, longitude}`.
  mutating func coordinate(_ coordinate: Coordinate) {
    self.coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude)
  }

  /// Writes `[west, south, east, north]`.
  mutating func bbox(_ bounds: GeoBounds) {
    beginArray()
    value(bounds.west)
    value(bounds.south)
    value(bounds.east)
    value(bounds.north)
    endArray()
  }

  /// Writes `{x, y, width, height}` in map points.
  mutating func mapRect(_ rect: MapRect) {
    beginObject()
    member("x", rect.x)
    member("y", rect.y)
    member("width", rect.width)
    member("height", rect.height)
    endObject()
  }

  /// Writes an element of `links`.
  mutating func link(_ href: String, _ relation: StaticString, _ type: String, _ title: String) {
    beginObject()
    member("href", href)
    member("rel", relation)
    member("type", type)
    member("title", title)
    endObject()
  }
}
