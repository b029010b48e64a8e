import GeoFormats
import HTTPServer
import Texts

extension TableOptions {
  /// The fields of a query that say how a table is written.
  static let names = [
    "encoding", "separator", "lon", "lat", "geometry", "decimal", "layer", "text",
  ]

  /// Reads a request's options for the table in its body.
  ///
  /// - Parameter assumesEncoding: whether a header that isn't UTF-8 may be read as Windows-1252.
  init(_ fields: Fields, _ request: HTTPRequest, assumesEncoding: Bool) throws(Problem) {
    self.init()
    self.assumesEncoding = assumesEncoding
    if let name = try fields.string("separator") {
      separator = TableOptions.separator(named: name)
      guard separator != nil else {
        throw fields.problem("separator", "separator is none of , ; | tab")
      }
    }
    if let mark = try fields.string("decimal") {
      guard mark.isSame(as: ".") || mark.isSame(as: ",") else {
        throw fields.problem("decimal", "decimal is neither . nor ,")
      }
      decimal = mark.utf8.first
    }
    longitude = try fields.string("lon")
    latitude = try fields.string("lat")
    geometry = try fields.string("geometry")
    layer = try fields.string("layer")
    text = try fields.strings("text")?.list ?? []
    encoding = try fields.string("encoding")
    let type = request.bodyType(of: [.csv, .tsv])
    if type == .tsv { separator = separator ?? 0x09 }
    if type != nil {
      try take(charset: request.headers["content-type"]?.parameter("charset"))
    }
    if let fault {
      throw fields.problem(fault.option, status: 422, "\(fault.option) is \(fault.detail)")
    }
  }

  /// Takes the `charset` of a Content-Type as the encoding if none is given.
  ///
  /// - Throws: ``Problem`` 415 if it isn't known.
  mutating func take(charset: String?) throws(Problem) {
    guard encoding == nil, let charset else { return }
    encoding = charset
    if let fault, fault.option.isSame(as: "encoding") {
      throw Problem(
        415,
        "the charset of the Content-Type is \(fault.detail): \(String(charset.shortened(to: 100)))")
    }
  }
}
