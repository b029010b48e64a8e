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

  /// The kind of bytes that begin as a workbook or another archive, such as "an old workbook of Excel"; nil for all else.
  public static func workbook(_ bytes: some Collection<UInt8>) -> String? {
    let marks: [(bytes: [UInt8], name: String)] = [
      (Array("PK".utf8) + [3, 4], "a ZIP archive, as workbooks of Excel are"),
      ([0xD0, 0xCF, 0x11, 0xE0], "an old workbook of Excel"),
    ]
    return marks.first { bytes.starts(with: $0.bytes) }?.name
  }
}
