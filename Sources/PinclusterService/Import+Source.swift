import GeoFormats
import Texts

extension Import {
  /// What reads a file.
  enum Source {
    /// This program.
    case own(FeatureFormat)
    /// GDAL.
    case gdal

    /// The values of `--format`.
    static let names = ["geojson", "geojsonseq", "csv", "gdal"]

    /// Finds out what reads a file, by a name of ``names`` or the ending of its own, that of gzip aside.
    init(_ name: String?, _ path: String) throws(UsageError) {
      var endings = path.parts(separatedBy: UInt8(ascii: ".")).map(\.lowercasedASCII)
      let isGzip = endings.count > 2 && endings.last?.isSame(as: "gz") == true
      if isGzip { endings.removeLast() }
      let ending = name ?? endings.last ?? ""
      switch ending {
      case "geojson", "json": self = .own(.geoJSON)
      case "geojsonseq", "geojsons", "geojsonl", "ndjson", "jsonl": self = .own(.geoJSONSequence)
      case "csv": self = .own(.csv)
      case "gdal": self = .gdal
      case let ending where GDALFile.endings.contains(ending): self = .gdal
      default:
        throw UsageError(
          message: "the name \(path) does not show the format; give --format "
            + "\(Source.names.dropLast().joined(separator: ", ")) or \(Source.names.last ?? "")")
      }
      if isGDAL, isGzip || path.isSame(as: "-") {
        throw UsageError(message: "ogr2ogr reads neither standard input nor gzip; give it a FILE")
      }
    }

    /// Whether GDAL reads it.
    var isGDAL: Bool { if case .gdal = self { true } else { false } }
  }
}
