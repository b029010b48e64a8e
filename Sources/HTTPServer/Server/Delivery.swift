import CEvHTTP
import Threading

/// The delivery of the response to a request.
///
/// `@unchecked Sendable`: `pointer` is used only on the thread of the loop, or after that has ended, except to
/// ask whether the client has gone, and `notes` by one thread at a time until the response is delivered. A
/// delivery retains the loop, so that the memory of the loop outlives it.
final class Delivery: @unchecked Sendable {
  let pointer: OpaquePointer
  private let loop: Loop
  private let context: LoopContext
  /// The request without its body: what preparing the response needs.
  let request: HTTPRequest
  private let started: UInt64
  /// The request's id.
  private let id: String
  /// The bytes of the body that came; to be set before the request is handed on.
  var bytesReceived = 0
  /// The handler's notes.
  var notes = RequestNotes()

  init(_ pointer: OpaquePointer, _ loop: Loop, _ context: LoopContext, _ request: HTTPRequest) {
    (self.pointer, self.loop, self.context, self.request) = (pointer, loop, context, request)
    started = context.configuration.onRequest == nil ? 0 : Delivery.now()
    var size = 0
    let id = ceh_exchange_id(pointer, &size)
    self.id = String(decoding: UnsafeRawBufferPointer(start: id, count: size), as: UTF8.self)
  }

  /// A response that tells an error.
  func error(_ status: Int, _ reason: String) -> HTTPResponse {
    context.configuration.protocolErrorResponse(status, reason)
  }

  /// Sends the response. To be called once.
  func deliver(_ response: HTTPResponse) {
    let stream = response.stream == nil ? nil : StreamCore(loop)
    guard stream != nil || response.stream == nil else {
      return deliver(error(503, "out of memory"))
    }
    // Compresses and hashes on the thread that replies.
    let preparation = Preparation(of: response, for: request)
    if loop.isCurrent { return send(response, preparation, stream) }
    let job = { self.send(response, preparation, stream) }
    // If the loop has ended, and its connections with it, this only frees the exchange.
    if !loop.post(job) { job() }
  }

  /// Sends a prepared response from the thread of the loop.
  private func send(_ response: HTTPResponse, _ preparation: Preparation, _ stream: StreamCore?) {
    loop.assertConfined()
    let status = preparation.isNotModified ? 304 : response.status
    HeaderBlock.with(response, preparation) { headers in
      Delivery.withBody(response, preparation) { body in
        var raw = ceh_response(
          status: Int32(clamping: status),
          headers: headers.bindMemory(to: CChar.self).baseAddress, headers_size: headers.count,
          body: body.baseAddress, body_size: body.count, unsized: stream != nil,
          owner: ceh_owner(object: nil, release: nil))
        if let stream, request.method != .head {
          begin(stream, &raw)
        } else {
          if body.count > Int(CEH_MOST_COPIED) {
            raw.owner = BodyOwner(response, preparation.packed).retained()
          }
          let sent = ceh_exchange_reply(pointer, &raw)
          log(status, sent, microseconds)
          stream?.end()
        }
      }
    }
    if let stream { response.stream?(ResponseStream(stream)) }
  }

  @inline(__always)
  private static func withBody(
    _ response: HTTPResponse, _ preparation: Preparation, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if preparation.isNotModified {
      body(UnsafeRawBufferPointer(start: nil, count: 0))
    } else if let packed = preparation.packed {
      body(packed.bytes)
    } else {
      response.body.withUnsafeBytes(body)
    }
  }

  private func begin(_ stream: StreamCore, _ raw: inout ceh_response) {
    stream.begin(pointer, &raw)
    guard context.configuration.onRequest != nil else { return }
    let (status, microseconds) = (Int(raw.status), self.microseconds)
    stream.atEnd { self.log(status, $0, microseconds) }
  }

  // MARK: Log

  /// Microseconds on a monotonic clock.
  private static func now() -> UInt64 { UInt64(MonotonicTime.now / 1000) }

  var microseconds: Int { started == 0 ? 0 : Int(Delivery.now() - started) }

  private func log(_ status: Int, _ bytesSent: Int, _ microseconds: Int) {
    context.configuration.onRequest?(
      RequestLog(
        method: request.method, path: request.path, query: request.query, status: status,
        bytesReceived: bytesReceived, bytesSent: bytesSent, microseconds: microseconds,
        requestID: id, notes: notes, headers: request.headers))
  }
}

extension Delivery {
  /// The owner of a large body, which the shim sends from where it is.
  ///
  /// The shim uses the pointer that `withUnsafeBytes` gives of ``HTTPResponse/body``, or that of a `Packed`, after that
  /// call has returned. It stays valid: an array of bytes is always contiguous on Linux, so that its pointer is that of
  /// its storage on the heap, and not of a copy. Storage doesn't move, is freed only when no array refers to it any
  /// more, and is written to only through an array that alone refers to it; the one here does refer to it, and never
  /// changes, until the shim releases this. A `Packed` is written to by its initializer and freed by its `deinit`. The
  /// loop isn't retained, as the end of the loop may be what releases this.
  private final class BodyOwner: Sendable {
    private let response: HTTPResponse
    private let packed: Gzip.Packed?

    init(_ response: HTTPResponse, _ packed: Gzip.Packed?) {
      (self.response, self.packed) = (response, packed)
    }

    /// This for the shim, which releases it.
    func retained() -> ceh_owner {
      ceh_owner(
        object: Unmanaged.passRetained(self).toOpaque(),
        release: { _, _, object in
          if let object { Unmanaged<BodyOwner>.fromOpaque(object).release() }
        })
    }
  }
}
