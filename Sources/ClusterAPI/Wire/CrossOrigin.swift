import HTTPServer

/// The fields of CORS and others for browsers; ``OriginPolicy`` decides.
enum CrossOrigin {
  /// The field that names the origin whose pages may see an answer.
  static let name = "Access-Control-Allow-Origin"
  private static let origin = (name: name, value: "*")
  /// Keeps browsers from taking an answer for what its type doesn't say.
  private static let sniffing = (name: "X-Content-Type-Options", value: "nosniff")
  private static let exposed = (
    name: "Access-Control-Expose-Headers",
    value:
      "ETag, Link, Location, \(VersionField.age), \(NotesField.name), \(VersionField.name), Retry-After, X-Request-Id"
  )

  /// The fields of an answer of some type, with those that open it. They are kept for the usual types.
  static func fields(of type: MediaType, _ caching: Caching) -> [(name: String, value: String)] {
    switch (type, caching) {
    case (.json, .checked): jsonFields
    case (.geoJSON, .checked): geoJSONFields
    case (.vectorTile, .checked): tileFields
    case (.vectorTile, .forGood): versionedTileFields
    default: newFields(of: type, caching)
    }
  }

  private static let jsonFields = newFields(of: .json, .checked)
  private static let geoJSONFields = newFields(of: .geoJSON, .checked)
  private static let tileFields = newFields(of: .vectorTile, .checked)
  private static let versionedTileFields = newFields(of: .vectorTile, .forGood)

  private static func newFields(
    of type: MediaType, _ caching: Caching
  ) -> [(name: String, value: String)] {
    [("Content-Type", type.withParameters), origin, exposed, sniffing, caching.field]
  }

  /// Adds a field to an answer that pages may see.
  static func add(_ name: String, _ value: String, to response: inout HTTPResponse) {
    response.headers.append((name, value))
    if let place = response.headers.firstIndex(where: { $0.name == exposed.name }) {
      response.headers[place].value += ", \(name)"
    }
  }

  /// Adds the fields that open an answer to no request, or to one that can't be read.
  static func open(_ response: inout HTTPResponse) { response.headers += [origin, sniffing] }

  /// Adds the fields that open an answer, if it has none yet, as far as a policy opens it.
  ///
  /// - Parameter writes: whether a request changes what is stored.
  static func open(
    _ response: inout HTTPResponse, for request: HTTPRequest, _ origins: OriginPolicy,
    writes: (HTTPRequest) -> Bool
  ) {
    defer { origins.apply(to: &response, for: request) }
    guard request.method == .options else {
      if !response.headers.contains(where: { $0.name == name }) {
        response.headers += [origin, exposed, sniffing]
        if [200, 304].contains(response.status), response.header(Caching.name) == nil {
          response.headers.append(Caching.checked.field)
        }
      }
      return
    }
    open(&response)
    guard request.headers["access-control-request-method"] != nil else { return }
    let allowed = response.header("Allow") ?? "GET, HEAD, OPTIONS"
    response.headers += [
      ("Access-Control-Allow-Methods", origins.methods(allowed, for: request, writes: writes)),
      (
        "Access-Control-Allow-Headers",
        "Accept, Authorization, Content-Crs, Content-Encoding, Content-Type, If-Match, If-None-Match, "
          + "Last-Event-ID, \(VersionField.name), Prefer, Traceparent, Tracestate, X-Request-Id"
      ),
      ("Access-Control-Max-Age", "86400"),
    ]
  }
}
