internal import Texts

extension FeatureFormat {
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
