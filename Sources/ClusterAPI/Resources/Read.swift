import HTTPServer

/// How a response to a read is made.
struct Read: Sendable {
  /// The kind by which its time is known.
  let kind: ReadKind
  let make: @Sendable () throws -> HTTPResponse
}
