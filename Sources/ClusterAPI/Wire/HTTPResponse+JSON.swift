import GeoFormats
import HTTPServer

extension HTTPResponse {
  /// A response whose body is encoded already.
  init(
    _ body: [UInt8], status: Int = 200, type: MediaType, etag: String? = nil,
    _ caching: Caching = .checked
  ) {
    self.init(
      status: status, headers: CrossOrigin.fields(of: type, caching), body: body, etag: etag)
  }

  /// A JSON answer.
  init(
    _ json: consuming JSONWriter, status: Int = 200, type: MediaType = .json, etag: String? = nil
  ) {
    self.init(json.take(), status: status, type: type, etag: etag)
  }

  /// A JSON object with the members that `body` writes.
  init(
    status: Int = 200, type: MediaType = .json, etag: String? = nil, reserving capacity: Int = 1024,
    object body: (inout JSONWriter) throws -> Void
  ) rethrows {
    var json = JSONWriter(reserving: capacity)
    try json.object(nil, body)
    // Taken here, as passing the writer on would copy it.
    self.init(json.take(), status: status, type: type, etag: etag)
  }
}
