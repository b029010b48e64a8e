import GeoFormats
import HTTPServer

extension HTTPRequest {
  /// Refuses a body of another media type, or of none: a page of any web site could have it sent.
  func checkBodyType(_ types: [MediaType]) throws(Problem) {
    // The usual case needs no parsing.
    if headers["content-type"] == types.first?.rawValue { return }
    let names = types.map(\.rawValue).joined(separator: ", ")
    guard let type = bodyType else {
      if body.count == 0 { return }
      throw Problem(415, "the body has no Content-Type; send \(names)")
    }
    if types.contains(where: { $0.rawValue == type }) { return }
    throw Problem(
      415, "a body of type \(type.prefix(100)) is not understood here; send \(names)")
  }

  /// Refuses a body whose coordinates are not longitudes and latitudes, as `Content-Crs` says.
  func checkReferenceSystem() throws(Problem) {
    guard let field = headers["content-crs"] else { return }
    let name = field.filter { !"<> \t".contains($0) }
    guard !ReferenceSystem.isDegrees(name) else { return }
    throw Problem(
      400, field: "Content-Crs", inBody: false,
      "coordinates are stored in http://www.opengis.net/def/crs/OGC/1.3/CRS84 only")
  }

  /// The media type of the body, in lower case and without parameters; nil if none is given.
  var bodyType: String? {
    headers["content-type"].map { trimmed($0.prefix { $0 != ";" }).lowercased() }
  }

  /// The offered type that the client likes best, the first of equals: by `f`, else by Accept.
  ///
  /// - Throws: ``Problem`` 406 when it accepts none, 400 when `f` names none.
  func negotiate(_ offered: [MediaType], format: String?) throws(Problem) -> MediaType {
    if let format {
      if let type = offered.first(where: { $0.shortName == format }) { return type }
      let names = offered.map(\.shortName).joined(separator: ", ")
      throw Problem(400, field: "f", inBody: false, "f is none of \(names)")
    }
    guard let type = accepted(offered) else {
      throw Problem(
        406, "this resource is served as \(offered.map(\.rawValue).joined(separator: ", "))")
    }
    return type
  }

  /// The offered type that the client likes best; the first if it accepts none of them.
  func negotiateLeniently(_ offered: [MediaType]) -> MediaType { accepted(offered) ?? offered[0] }

  /// The offered type that the client likes best, the first of equals; nil if it accepts none of them.
  private func accepted(_ offered: [MediaType]) -> MediaType? {
    guard let accept = headers["accept"] else { return offered[0] }
    if accept == "*/*" || accept == offered[0].rawValue || trimmed(accept).isEmpty {
      return offered[0]
    }
    let qualities = Dictionary(
      accept.split(separator: ",").map(HTTPRequest.range), uniquingKeysWith: { first, _ in first })
    var best: (type: MediaType, quality: Double)?
    for type in offered {
      let group = type.rawValue.prefix { $0 != "/" } + "/*"
      // The most specific range that holds the type decides.
      let quality = qualities[type.rawValue] ?? qualities[String(group)] ?? qualities["*/*"] ?? 0
      if quality > best?.quality ?? 0 { best = (type, quality) }
    }
    return best?.type
  }

  /// One element of an Accept field, with how well it is liked.
  private static func range(_ text: Substring) -> (String, quality: Double) {
    let parts = text.split(separator: ";")
    var quality = 1.0
    for parameter in parts.dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      if pair.count == 2, trimmed(pair[0]).lowercased() == "q" {
        quality = Double(trimmed(pair[1])).map { min(max($0, 0), 1) } ?? 1
      }
    }
    return (trimmed(parts.first ?? "").lowercased(), quality)
  }
}

/// Text without white space around it.
func trimmed(_ text: some StringProtocol) -> String {
  let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
  var rest = Substring(text).drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(rest)
}
