/// One answered request. A request that a stream answers is logged when the stream has ended.
public struct RequestLog: Sendable {
  /// The method.
  public var method: HTTPMethod
  let path: String
  /// The query as it stood in the request line.
  public let query: String?
  /// The status that was sent.
  public var status: Int
  /// The bytes of the body that came.
  public var bytesReceived: Int
  /// The bytes of head and body handed to the connection; 0 if it had gone.
  public var bytesSent: Int
  /// The time from reading the whole request to handing over the response, or the start of a stream.
  public var microseconds: Int
  /// The request's id: its own, or one that was made.
  public var requestID: String
  /// The handler's notes.
  public var notes: RequestNotes
  let headers: HTTPHeaders

  /// The path and query as they stood in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }

  /// The trace that the request belongs to, if it says so.
  public var trace: TraceParent? { headers["traceparent"].flatMap { TraceParent($0) } }
}
