/// A format of features.
public enum FeatureFormat: Sendable {
  /// One GeoJSON Feature or FeatureCollection.
  case geoJSON
  /// One GeoJSON Feature on each line, or after each record separator (RFC 8142).
  case geoJSONSequence
  /// A table with a header (RFC 4180).
  case csv
}
