import CEvHTTP
import Texts

/// The response to a request. The server adds Date, X-Request-Id, Content-Length and Connection.
public struct HTTPResponse: Sendable {
  /// The status code.
  public var status: Int
  /// The header fields, in order.
  public var headers: [(name: String, value: String)]
  /// The body. The response to HEAD has it too, but only its length is sent.
  public var body: [UInt8]
  /// Set if ``body`` is that of many responses, which need not be compressed again for each.
  public private(set) var kept: KeptBody?
  /// The unquoted base of the entity tag. If nil, a 200 to GET, HEAD or POST gets a hash of the body
  /// and other responses get no tag.
  public var etag: String?
  /// Set if ``body`` is only the beginning: called once with the stream that sends the rest, on a
  /// thread of the server, so it must be quick. The stream has already ended if the client has gone
  /// or asked for the head only. Such a response is neither compressed nor tagged, and its connection
  /// closes with it.
  public var stream: (@Sendable (ResponseStream) -> Void)?

  /// Creates a response.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [],
    etag: String? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.etag = etag
  }

  /// Creates a response with a body that is kept.
  ///
  /// - Parameter etag: nil for that of the body.
  public init(
    status: Int, headers: [(name: String, value: String)] = [], body: KeptBody,
    etag: String? = nil
  ) {
    (self.status, self.headers, self.body) = (status, headers, body.bytes)
    (kept, self.etag) = (body, etag ?? body.etag)
  }

  /// The first value of a header field, its name compared without regard to case.
  public func header(_ name: String) -> String? {
    headers.first { $0.name.isSameField(as: name) }?.value
  }
}

/// Status codes of HTTP.
public enum HTTPStatus {
  /// The reason phrase of a status code, such as "Not Found" for 404: the one that the status line
  /// has. Codes without a phrase of their own get one of their class.
  public static func phrase(_ status: Int) -> String {
    String(cString: ceh_status_phrase(Int32(clamping: status)))
  }
}
