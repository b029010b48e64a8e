/// A request that failed before it reached the handler.
public struct ProtocolErrorInfo: Sendable {
  /// The error, in a few words fit for a client.
  public var reason: String
  /// The method, if it was read.
  public var method: HTTPMethod
  /// The raw target, if it was read.
  public var target: String?

  /// Creates the information.
  public init(reason: String, method: HTTPMethod = .other, target: String? = nil) {
    self.reason = reason
    self.method = method
    self.target = target
  }

  /// RFC 9457 problem details. The reason is one of this module's own texts and needs no escapes.
  func plainProblem(status: Int) -> HTTPResponse {
    HTTPResponse(
      status: status, headers: [(name: "Content-Type", value: "application/problem+json")],
      body: Array(#"{"type":"about:blank","status":\#(status),"detail":"\#(reason)"}"#.utf8))
  }
}
