import CResources
import HTTPServer

/// Files that are embedded in the binary.
extension Resources {
  func openAPI(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try Fields(query: request.query, allowed: [])
    let bytes = UnsafeBufferPointer(start: pincluster_openapi(), count: pincluster_openapi_size())
    return HTTPResponse(
      status: 200, headers: [("Content-Type", MediaType.yaml.rawValue)], body: Array(bytes))
  }

  /// The description in OpenAPI 3.0, with the service's own URL.
  func openAPI30(_ request: HTTPRequest) throws -> HTTPResponse {
    let fields = try Fields(query: request.query, allowed: ["f"])
    if let format = try fields.string("f"), format != "json" {
      throw fields.problem("f", "f is not json")
    }
    let base = base(of: request)
    // A URL of a service has no characters that JSON escapes.
    let url = base.isEmpty ? "/" : base
    let (head, tail) = Resources.openAPI30Parts
    return HTTPResponse(
      status: 200, headers: [("Content-Type", MediaType.openAPI.rawValue)],
      body: head + Array(url.utf8) + tail)
  }

  /// What stands before and behind the URL of the only server.
  private static let openAPI30Parts: (ArraySlice<UInt8>, ArraySlice<UInt8>) = {
    let bytes = Array(
      UnsafeBufferPointer(start: pincluster_openapi30(), count: pincluster_openapi30_size()))
    let url = Array("\"url\": \"/\"".utf8)
    guard let found = bytes.firstRange(of: url) else { return (bytes[...], []) }
    return (bytes[..<(found.upperBound - 2)], bytes[(found.upperBound - 1)...])
  }()

  func favicon(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try Fields(query: request.query, allowed: [])
    let bytes = UnsafeBufferPointer(start: pincluster_favicon(), count: pincluster_favicon_size())
    return HTTPResponse(
      status: 200,
      headers: [
        ("Content-Type", MediaType.svg.rawValue), ("Cache-Control", "public, max-age=86400"),
      ], body: Array(bytes))
  }
}
