import HTTPServer

/// Somebody who asks to watch.
struct WatchRequest: Sendable {
  let id: Int
  /// The version that the client shows already, if it says so.
  let since: Int64?
  /// Whether it wants to know the answer's head only.
  let isToHead: Bool
  /// To be called once.
  let answer: @Sendable (Result<HTTPResponse, any Error>) -> Void
}
