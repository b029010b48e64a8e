import GeoFormats
import HTTPServer
import Texts

/// The features in the body of a request: which bytes they are, and in which format.
struct PostedFeatures {
  /// The types of bodies that hold features.
  static let types: [MediaType] = [
    .geoJSON, .json, .geoJSONSequence, .newlineJSON, .csv, .tsv, .excel, .octets, .form,
  ]
  /// The most bytes of a first line that tells whether others follow.
  private static let longestLine = 64 << 10

  let bytes: UnsafeRawBufferPointer
  let format: FeatureFormat
  /// The charset of a form's part; nil if it names none.
  private(set) var charset: String?

  /// Finds the features in a body of one of ``types``. Some programs, and browsers under Windows, send vague types;
  /// the first bytes then decide.
  ///
  /// - Parameters:
  ///   - field: the Content-Type with its parameters.
  /// - Throws: ``Problem`` 415 for what is no features, 400 for a form that isn't one.
  init(in body: UnsafeRawBufferPointer, of type: MediaType?, _ field: String) throws {
    guard type == .form else {
      bytes = body
      format = try PostedFeatures.format(type) ?? PostedFeatures.format(of: body)
      return
    }
    let file = try FormFile(in: body, contentType: field)
    bytes = file.content
    charset = file.contentType?.parameter("charset")
    let named = (file.contentType ?? "").cut(at: UInt8(ascii: ";")).0.trimmed
    let known = PostedFeatures.types.first { named.isSameField(as: $0.rawValue) }
    format =
      try PostedFeatures.format(known == .form ? nil : known)
      ?? file.name.flatMap { FeatureFormat(fileName: $0) }
      ?? PostedFeatures.format(of: file.content)
  }

  /// The format of a type; nil for one that says too little.
  private static func format(_ type: MediaType?) -> FeatureFormat? {
    switch type {
    case .geoJSON, .json: .geoJSON
    case .geoJSONSequence, .newlineJSON: .geoJSONSequence
    case .csv, .tsv: .csv
    default: nil
    }
  }

  /// The format of bytes, by how they begin.
  private static func format(of bytes: UnsafeRawBufferPointer) throws(Problem) -> FeatureFormat {
    let marks: [(bytes: [UInt8], name: String)] = [
      (Array("SQLite format 3".utf8) + [0], "a SQLite database, as GeoPackages are"),
      (Array("fgb".utf8) + [3], "FlatGeobuf"), (Array("PAR1".utf8), "Parquet"),
      (Array("<".utf8), "XML, as KML and GPX are"),
    ]
    let other = marks.first { bytes.starts(with: $0.bytes) }?.name
    if let known = FeatureFormat.workbook(bytes) ?? other {
      throw Problem(
        415, "the body is \(known); send GeoJSON or CSV, or have pincluster import read it")
    }
    if bytes.starts(with: [0x1F, 0x8B]) {
      throw Problem(415, "the body is gzip; say so with Content-Encoding: gzip")
    }
    let text = bytes.withoutByteOrderMark.drop(while: isSpace)
    switch text.first {
    case 0x1E: return .geoJSONSequence
    case UInt8(ascii: "{"), UInt8(ascii: "["): return isLines(text) ? .geoJSONSequence : .geoJSON
    default: return .csv
    }
  }

  /// Whether text that begins as JSON is an object on each line: the first one ends, and another begins.
  private static func isLines(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
    guard let end = text.prefix(longestLine).firstIndex(of: 0x0A) else { return false }
    let next = text[end...].prefix(longestLine).first(where: { !isSpace($0) })
    return next == UInt8(ascii: "{")
      && text[..<end].last(where: { !isSpace($0) }) == UInt8(ascii: "}")
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
