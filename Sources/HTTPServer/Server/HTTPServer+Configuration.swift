import Threading

extension HTTPServer {
  /// The address, limits and callbacks of a server.
  public struct Configuration: Sendable {
    /// The host name or address to listen on.
    public var host = "127.0.0.1"
    /// The port to listen on. 0 takes any free one; see ``HTTPServer/port``.
    public var port = 8080
    /// The certificates and authorities of connections with TLS; nil for plain HTTP.
    public var tls: TLSContext?
    /// The number of event loops, each on a thread of its own.
    public var threads = Processors.count
    /// The most bytes of request line and header fields together. More is answered 431.
    public var maximumHeaderBytes = 64 * 1024
    /// The most bytes of a request body. More is answered 413.
    public var maximumBodyBytes = 64 * 1024 * 1024
    /// The seconds after which a connection that neither sends nor takes anything is closed.
    public var idleTimeout = 60
    /// The seconds in which the head of a request must arrive. A slower one is answered 408.
    public var paceSeconds = 10
    /// The bytes a second, on average over ``paceSeconds``, with which a body must arrive and a client must
    /// take a response. A slower body is answered 408; a slower client's connection is closed.
    public var minimumRate = 1024
    /// The most bytes of all requests that are not answered yet, an equal share for each loop, which has room
    /// for two of the largest requests at least. When there are more, the largest that is still arriving is
    /// answered 503.
    public var maximumInputBytes = 256 << 20
    /// The most bytes of all responses that clients have not taken yet, an equal share for each loop, which is
    /// 32 MiB at least. When there are more, of several responses, the connection with the largest is closed.
    public var maximumOutputBytes = 256 << 20
    /// The most connections open at one time. One more is answered 503 and closed.
    public var maximumConnections = 10_000
    /// The number of connections that each loop may accept at once and of those that it may keep open while
    /// they close, both beyond ``maximumConnections``.
    public var spareConnections = 64
    /// The most seconds that ``HTTPServer/shutdown()`` waits for requests in flight.
    public var drainTimeout = 30
    /// Called after each response on the thread of its loop, so it must be quick.
    public var onRequest: (@Sendable (RequestLog) -> Void)?
    /// Called on the thread of a loop when the server refuses a connection or a request, or ends one. The text
    /// tells more, if there is more to tell.
    public var onRefusal: (@Sendable (ConnectionRefusal, String?) -> Void)?
    /// Makes the response to a request that the handler does not answer: one that is not HTTP or
    /// exceeds a limit, or whose reply was dropped.
    public var protocolErrorResponse: @Sendable (_ status: Int, _ reason: String) -> HTTPResponse =
      { status, reason in
        // RFC 9457. The reason is one of this module's own texts and needs no escapes.
        HTTPResponse(
          status: status, headers: [(name: "Content-Type", value: "application/problem+json")],
          body: Array(#"{"type":"about:blank","status":\#(status),"detail":"\#(reason)"}"#.utf8))
      }

    /// Creates the defaults: 127.0.0.1:8080, one thread for each core.
    public init() {}
  }
}
