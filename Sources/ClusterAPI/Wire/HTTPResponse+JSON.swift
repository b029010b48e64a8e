import GeoFormats
import HTTPServer

extension HTTPResponse {
  /// A JSON answer.
  init(
    _ json: consuming JSONWriter, status: Int = 200, type: MediaType = .json, etag: String? = nil
  ) {
    self.init(
      status: status, headers: CrossOrigin.fields(of: type), body: json.take(), etag: etag)
  }

  /// A response whose body is encoded already.
  init(_ body: [UInt8], type: MediaType, etag: String?) {
    self.init(status: 200, headers: CrossOrigin.fields(of: type), body: body, etag: etag)
  }
}
