import Collections
import GeoFormats
import HTTPServer

/// How a request is answered.
enum Outcome {
  /// With a response that is there.
  case now(HTTPResponse)
  /// With a response to a read, made at once or, if that takes long, away from the event loops. Its time is known by its kind.
  case read(ReadKind, make: @Sendable () throws -> HTTPResponse)
  /// By work that may take long, away from the event loops.
  case later(WorkQueue.Lane, @Sendable () throws -> HTTPResponse)
  /// By the writer, which makes the response.
  indirect case write(WriteRequest)
  /// By the writer, after the write is read, which may take long, away from the event loops.
  case longWrite(@Sendable (WriteMemory.Share) throws -> WriteRequest)
  /// By the writer, after its features were found, which may take as long as a read.
  case soughtWrite(@Sendable () throws -> WriteRequest)
  /// By others, when they can.
  case deferred(@Sendable (@escaping Reply) throws -> Void)

  /// A response to a read. If the client has what an entity tag names, there is nothing to make, and the status
  /// is 304.
  ///
  /// - Parameter make: makes the response. Where a loop in it may take more than a tenth of a millisecond it calls
  ///   ``Cancellation/poll(_:)``, as an event loop gives up what takes longer than its budget.
  static func response(
    to request: HTTPRequest, etag: String? = nil, kind: ReadKind,
    _ make: @escaping @Sendable () throws -> HTTPResponse
  ) -> Outcome {
    if let etag, request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    return .read(kind, make: make)
  }

  /// A write that is read from a body at once, or, if the body is long or turns out to hold much, away from
  /// the event loops. `read` is given the memory for a write that is read there.
  static func write(
    of body: RequestBody, _ read: @escaping @Sendable (WriteMemory.Share?) throws -> WriteRequest
  ) throws -> Outcome {
    guard body.count <= Write.smallBody else { return .longWrite(read) }
    do { return .write(try read(nil)) } catch FormatError.noRoom { return .longWrite(read) }
  }
}
