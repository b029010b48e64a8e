/// One answered request. A request that a stream answers is logged when the stream has ended.
public struct RequestLog: Sendable {
  /// The method.
  public var method: HTTPMethod
  let path: String
  let query: String?
  /// The status that was sent.
  public var status: Int
  /// The bytes of head and body handed to the connection; 0 if it had gone.
  public var bytesSent: Int
  /// The time from reading the whole request to handing over the response, or the start of a stream.
  public var microseconds: Int

  /// The path and query as they stood in the request line.
  public var target: String { query.map { "\(path)?\($0)" } ?? path }
}
