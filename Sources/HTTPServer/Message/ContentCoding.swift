/// Decides which responses to compress.
enum ContentCoding {
  /// The smallest body that is compressed, in bytes; smaller ones fit in a packet or two.
  static let smallest = 1024

  /// Whether an Accept-Encoding field (RFC 9110 section 12.5.3) prefers gzip to no coding.
  static func prefersGzip(_ field: String?) -> Bool {
    guard let field else { return false }
    var gzip: Double?
    var any: Double?
    var identity: Double?
    for item in field.utf8.split(separator: UInt8(ascii: ",")) {
      let parts = Substring(item).split(separator: ";", omittingEmptySubsequences: false)
      guard let name = parts.first?.trimmed.lowercased() else { continue }
      let weight = quality(parts.dropFirst())
      switch name {
      case "gzip", "x-gzip": gzip = max(gzip ?? 0, weight)
      case "*": any = weight
      case "identity": identity = weight
      default: break
      }
    }
    let wanted = gzip ?? any ?? 0
    return wanted > 0 && wanted >= (identity ?? 0)
  }

  /// The weight `q` among parameters: 1 when absent, 0 when malformed.
  private static func quality(_ parameters: ArraySlice<Substring>) -> Double {
    for parameter in parameters {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmed.lowercased() == "q" else { continue }
      guard let q = Double(pair[1].trimmed), q >= 0, q <= 1 else { return 0 }
      return q
    }
    return 1
  }

  /// Whether bodies of a media type compress well.
  static func isCompressible(_ contentType: String?) -> Bool {
    guard let contentType else { return false }
    let type = contentType.prefix { $0 != ";" }.trimmed.lowercased()
    if type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") { return true }
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
