import HTTPServer

/// A client's request to watch a viewport.
struct WatchRequest: Sendable {
  let id: Int
  /// The version that the client shows already; nil if it shows none.
  let since: Int64?
  /// Whether it is a HEAD request.
  let isToHead: Bool
  /// To be called once.
  let answer: @Sendable (Result<HTTPResponse, any Error>) -> Void
}
