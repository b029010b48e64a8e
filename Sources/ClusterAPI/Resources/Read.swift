import HTTPServer

/// How a response to a read is made.
struct Read: Sendable {
  /// Whether it certainly costs little.
  let isSmall: Bool
  /// About what it costs.
  let cost: @Sendable () -> Cost
  let make: @Sendable () throws -> HTTPResponse
}
