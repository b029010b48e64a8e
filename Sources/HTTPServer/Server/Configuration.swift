import Threading

extension HTTPServer {
  /// How a server listens and what it admits.
  public struct Configuration: Sendable {
    /// The name or address to listen on.
    public var host = "127.0.0.1"
    /// The port; 0 for any free one, see ``HTTPServer/port``.
    public var port = 8080
    /// The number of event loops, each on a thread.
    public var threads = Processors.count
    /// The most bytes of request line and header fields together; more is a 431.
    public var maximumHeaderBytes = 64 * 1024
    /// The most bytes of a request body; more is a 413.
    public var maximumBodyBytes = 64 * 1024 * 1024
    /// Seconds after which a connection that neither sends nor takes anything is closed.
    public var idleTimeout = 60
    /// Connections open at one time; one more is answered 503 and closed.
    public var maximumConnections = 10_000
    /// The most seconds that ``HTTPServer/shutdown()`` waits for what is in flight.
    public var drainTimeout = 30
    /// Called after each answer, on the loop's thread, so it must be quick.
    public var onRequest: (@Sendable (RequestLog) -> Void)?
    /// Makes the answer to what never reaches the handler: a request that is not HTTP, is over a
    /// limit, or whose reply was dropped.
    public var protocolErrorResponse:
      @Sendable (_ status: Int, _ info: ProtocolErrorInfo) -> HTTPResponse =
        { $1.plainProblem(status: $0) }

    /// The defaults: 127.0.0.1:8080, a thread a core.
    public init() {}
  }
}

/// One answered request; one that is answered by a stream is logged when that has ended.
public struct RequestLog: Sendable {
  /// The method.
  public var method: HTTPMethod
  let path: String
  let query: String?
  /// The status that was sent.
  public var status: Int
  /// Bytes of head and body handed to the connection; 0 when it had gone.
  public var bytesSent: Int
  /// From the whole request being read to the answer, or the begin of a stream, being handed over.
  public var microseconds: Int

  /// Path and query as they stood in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}

/// What is known of a request that failed before it reached the handler.
public struct ProtocolErrorInfo: Sendable {
  /// What is wrong, in a few words fit for a client.
  public var reason: String
  /// The method, as far as it was read.
  public var method: HTTPMethod
  /// The raw target, as far as it was read.
  public var target: String?

  /// Makes the information.
  public init(reason: String, method: HTTPMethod = .other, target: String? = nil) {
    self.reason = reason
    self.method = method
    self.target = target
  }

  /// RFC 9457 problem details without a dependency; `reason` is our own text and needs no escapes.
  func plainProblem(status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [(name: "Content-Type", value: "application/problem+json")],
      body: Array(#"{"type":"about:blank","status":\#(status),"detail":"\#(reason)"}"#.utf8))
  }
}
