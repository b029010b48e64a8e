import GeoFormats
import Texts

extension Import {
  /// The reader of a file.
  enum Source {
    /// This program.
    case own(FeatureFormat)
    /// This program, if the zip archive has a file in one of its formats, or in this one; or else GDAL.
    case archive(FeatureFormat?)
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
      let isArchive = endings.last?.isSame(as: "zip") == true
      if let format = FeatureFormat(fileName: ending) {
        self = isArchive ? .archive(format) : .own(format)
      } else if name == nil, ending.isSame(as: "txt") {
        self = .own(.csv)
      } else if name == nil, isArchive {
        self = .archive(nil)
      } else if ending.isSame(as: "gdal")
        || GDALFile.endings.contains(where: { ending.isSame(as: $0) })
      {
        self = .gdal
      } else {
        throw UsageError(
          "the name \(path) does not show the format; give --format "
            + "\(Source.names.dropLast().joined(separator: ", ")) or \(Source.names.last ?? "")")
      }
      if hasLayers, isGzip || path.isSame(as: "-") {
        throw UsageError("ogr2ogr reads neither standard input nor gzip; give it a FILE")
      }
    }

    /// Whether it may have several layers.
    var hasLayers: Bool { if case .own = self { false } else { true } }
  }
}
