import Texts

/// Decides which responses to compress.
enum ContentCoding {
  /// The smallest body that is compressed, in bytes; smaller ones fit in a packet or two.
  static let smallest = 1024

  /// Whether an Accept-Encoding field (RFC 9110 section 12.5.3) prefers gzip to no coding. Linear.
  static func prefersGzip(_ field: String?) -> Bool {
    guard let field else { return false }
    var gzip: Double?
    var any: Double?
    var identity: Double?
    for item in WeightedNames(field) {
      let weight = item.weight ?? 0
      if item.isNamed("gzip") || item.isNamed("x-gzip") {
        gzip = max(gzip ?? 0, weight)
      } else if item.isNamed("*") {
        any = weight
      } else if item.isNamed("identity") {
        identity = weight
      }
    }
    let wanted = gzip ?? any ?? 0
    return wanted > 0 && wanted >= (identity ?? 0)
  }

  /// Whether bodies of a media type compress well.
  static func isCompressible(_ contentType: String?) -> Bool {
    guard let contentType else { return false }
    let type = contentType.parts(separatedBy: UInt8(ascii: ";"), atMost: 1)[0].trimmed
      .lowercasedASCII
    if type.begins(with: "text/") || type.ends(with: "+json") || type.ends(with: "+xml") {
      return true
    }
    switch type {
    case "application/json", "application/geo+json-seq", "application/json-seq",
      "application/x-ndjson", "application/ndjson", "application/xml", "application/yaml",
      "application/x-yaml", "application/javascript", "application/vnd.mapbox-vector-tile",
      "application/x-protobuf", "application/wasm":
      return true
    default: return false
    }
  }
}
