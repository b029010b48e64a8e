internal import Texts

/// A format of features.
public enum FeatureFormat: Sendable {
  /// One GeoJSON Feature or FeatureCollection.
  case geoJSON
  /// One GeoJSON Feature on each line, or after each record separator (RFC 8142).
  case geoJSONSequence
  /// A table with a header (RFC 4180).
  case csv

  /// The format that files with a name have, by its ending, such as `places.geojson`; nil if it has none of these.
  public init?(fileName: some StringProtocol) {
    guard let ending = fileName.parts(separatedBy: UInt8(ascii: ".")).last else { return nil }
    switch ending.lowercasedASCII {
    case "geojson", "json": self = .geoJSON
    case "geojsonseq", "geojsons", "geojsonl", "ndjson", "jsonl": self = .geoJSONSequence
    case "csv", "tsv": self = .csv
    default: return nil
    }
  }
}
