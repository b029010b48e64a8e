import CResources
import HTTPServer
import Texts

/// The map page, and the files of which it and pages of others are made.
extension Resources {
  /// A file of the folder clients.
  func clientFile(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
    guard let file = Resources.clientFiles[name] else {
      throw Problem.notFound("there is no such file")
    }
    return try Resources.response(to: request, file.body, file.type)
  }

  /// A file of Leaflet.
  func leafletFile(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let type = name.ends(with: ".css") ? "text/css" : "text/javascript"
    return try leafletFile(
      name, of: MapSettings.leafletNames, "\(type); charset=utf-8", to: request)
  }

  /// An image of Leaflet.
  func leafletImage(_ name: String, _ request: HTTPRequest) throws -> HTTPResponse {
    try leafletFile(name, of: MapSettings.leafletImages, "image/png", to: request)
  }

  private func leafletFile(
    _ name: String, of names: [String], _ type: String, to request: HTTPRequest
  ) throws -> HTTPResponse {
    guard names.contains(name) else { throw Problem.notFound("there is no such file") }
    guard let body = map.leaflet[name] else {
      throw Problem.notFound(
        "Leaflet was not found when the service started; install libjs-leaflet, or name its folder with --leaflet"
      )
    }
    return try Resources.response(to: request, body, type)
  }

  /// The page. Its state is behind the `#` of its URL, so nothing of it comes here.
  func mapPage(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try Fields(query: request.query, allowed: [])
    let source = map.basemapSource.map { " \($0)" } ?? ""
    let policy = [
      "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'",
      "img-src 'self'\(source)", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
    ]
    return HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Security-Policy", policy.joined(separator: "; ")),
        // Servers of tiles want to know who asks, and need no more than the origin.
        ("Referrer-Policy", "strict-origin-when-cross-origin"),
      ], body: Array(mapText(root: request.path.ends(with: "/") ? "../" : "").utf8))
  }

  private func mapText(root: String) -> String {
    let tag = { [map] (name: String) in map.leaflet[name].map { "?v=\($0.etag)" } ?? "" }
    let values = [
      "root": root, "basemap": map.basemapURL, "attribution": map.attribution,
      "leaflet": map.hasLeaflet ? "found" : "missing",
      "script-version": tag("leaflet.js"), "style-version": tag("leaflet.css"),
    ]
    return Resources.mapParts.enumerated().map { place, part in
      place.isMultiple(of: 2) ? part : HTMLPage.escaped(values[part] ?? "")
    }.joined()
  }

  /// The page between its braces, and the names in them, by turns.
  private static let mapParts: [String] = {
    let bytes = UnsafeBufferPointer(start: pincluster_map_page(), count: pincluster_map_page_size())
    let page = String(decoding: bytes, as: UTF8.self)
    // Characters: the page of the program, which has no marks
    return page.split(separator: "{{", omittingEmptySubsequences: false).flatMap { part in
      // Characters: as above
      part.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    }
  }()

  // MARK: Files

  /// A request that names the file's present version may keep it for good; others revalidate it.
  private static func response(
    to request: HTTPRequest, _ body: KeptBody, _ type: String
  ) throws -> HTTPResponse {
    let version = try Fields(query: request.query, allowed: ["v"]).string("v")
    let caching = version == body.etag ? Caching.forGood : .checked
    return HTTPResponse(
      status: 200, headers: [("Content-Type", type), caching.field], body: body)
  }

  /// The files of the folder clients, by their names.
  // Characters: names of files of the program
  private static let clientFiles: [String: (type: String, body: KeptBody)] = {
    let files = UnsafeBufferPointer(start: pincluster_clients(), count: pincluster_clients_count())
    let pairs = files.map { file in
      let bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.size))
      return (String(cString: file.name), (type: String(cString: file.type), body: KeptBody(bytes)))
    }
    return Dictionary(pairs) { $1 }
  }()
}
