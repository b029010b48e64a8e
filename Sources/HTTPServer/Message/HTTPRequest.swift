/// A complete request, independent of the connection on which it came.
public struct HTTPRequest: Sendable {
  /// The method.
  public var method: HTTPMethod
  /// The path, still percent-encoded and without the query; "/" when empty,
  /// "*" for `OPTIONS *`.
  public var path: String
  /// The query, still percent-encoded and without the "?"; nil when there is no "?".
  public var query: String?
  /// The header fields.
  public var headers: HTTPHeaders
  /// The body; ``RequestBody/empty`` when there is none.
  public var body: RequestBody
  /// A number that stands for the client's address: equal for all connections of one IPv4 address, or of one
  /// IPv6 prefix of 64 bits.
  public var client: UInt64 = 0
  /// The exchange that the request belongs to; nil for one made by hand.
  var origin: (any Origin)?

  /// The exchange of a request: it knows whether and since when the client waits, and keeps the notes.
  protocol Origin: AnyObject, Sendable {
    var isAbandoned: Bool { get }
    var microseconds: Int { get }
    func note(_ change: (inout RequestNotes) -> Void)
  }

  /// Creates a request, for tests of handlers without a socket.
  public init(
    method: HTTPMethod = .get, path: String = "/", query: String? = nil,
    headers: HTTPHeaders = HTTPHeaders(), body: RequestBody = .empty
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// Whether the client has closed its connection, or its half of it, more than a second ago or so. False once
  /// the request is answered. Must not be asked while another thread answers it.
  public var isAbandoned: Bool { origin?.isAbandoned ?? false }

  /// The time since the whole request was read; 0 if nothing is logged.
  public var microseconds: Int { origin?.microseconds ?? 0 }

  /// Notes something for the log. It must be done before the reply, by one thread at a time.
  public func note(_ change: (inout RequestNotes) -> Void) { origin?.note(change) }

  /// The path and query as they stood in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// Whether this is a GET or HEAD whose If-None-Match lists either representation, plain or gzip,
  /// of the resource with this unquoted base tag, so that a 304 answers it and no body is needed. `*` lists none: it is
  /// fulfilled by whatever is answered, if that isn't an error.
  public func matches(etag: String) -> Bool {
    guard method == .get || method == .head,
      headers.withBytes(of: "If-None-Match", { !EntityTag.isAny($0) }) == true
    else { return false }
    return EntityTag.match(headers, base: etag, prefersGzip: false) != .none
  }
}
