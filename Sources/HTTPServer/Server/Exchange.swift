import CEvHTTP
import Synchronization
import Threading

/// One request that waits for its reply.
///
/// `@unchecked Sendable`: `pointer` is used only on the thread of the loop, or after that has ended; the
/// atomic flag ensures that it is used, and thereby freed, exactly once. The exchange retains the loop,
/// so that the memory of the loop outlives every reply.
final class Exchange: HTTPRequest.Origin, @unchecked Sendable {
  private let pointer: OpaquePointer
  private let loop: Loop
  private let configuration: HTTPServer.Configuration
  /// The request without its body: what preparing the response needs.
  private let request: HTTPRequest
  private let started: UInt64
  private let replied = Atomic<Bool>(false)

  init(_ pointer: OpaquePointer, loop: Loop, context: LoopContext, request: HTTPRequest) {
    self.pointer = pointer
    self.loop = loop
    configuration = context.configuration
    self.request = request
    started = configuration.onRequest == nil ? 0 : Self.now()
  }

  deinit {
    guard !replied.load(ordering: .acquiring) else { return }
    deliver(errorResponse(500, "the request was not answered", target: request.target))
  }

  var isAbandoned: Bool {
    !replied.load(ordering: .acquiring) && ceh_exchange_is_abandoned(pointer)
  }

  /// Sends the response. Only the first call has an effect.
  func reply(_ response: HTTPResponse) {
    guard !replied.exchange(true, ordering: .acquiringAndReleasing) else { return }
    deliver(response)
  }

  /// Replies with an error that the handler knows nothing of.
  func fail(_ status: Int, _ reason: String, target: String? = nil) {
    reply(errorResponse(status, reason, target: target))
  }

  private func errorResponse(_ status: Int, _ reason: String, target: String?) -> HTTPResponse {
    configuration.protocolErrorResponse(
      status, ProtocolErrorInfo(reason: reason, method: request.method, target: target))
  }

  private func deliver(_ response: HTTPResponse) {
    let stream = response.stream == nil ? nil : StreamCore(loop)
    guard stream != nil || response.stream == nil else {
      return deliver(errorResponse(503, "out of memory", target: request.target))
    }
    // Compresses and hashes on the thread that replies.
    let delivery = Delivery(
      pointer: pointer, loop: loop, response: response, stream: stream,
      preparation: Preparation(of: response, for: request), isToHead: request.method == .head,
      log: log)
    if loop.isCurrent { delivery.send() } else { delivery.post() }
  }

  private var log: Delivery.Log? {
    configuration.onRequest.map { Delivery.Log(write: $0, request: request, started: started) }
  }

  /// Microseconds on a monotonic clock.
  private static func now() -> UInt64 { UInt64(MonotonicTime.now / 1000) }

  /// A prepared response on its way to the thread of the loop. Only `send()`, called once, uses `pointer`.
  private struct Delivery {
    struct Log {
      let write: @Sendable (RequestLog) -> Void
      let request: HTTPRequest
      let started: UInt64
      var microseconds: Int { Int(Exchange.now() - started) }

      func write(_ status: Int, _ bytesSent: Int, _ microseconds: Int) {
        write(
          RequestLog(
            method: request.method, path: request.path, query: request.query, status: status,
            bytesSent: bytesSent, microseconds: microseconds))
      }
    }

    let pointer: OpaquePointer
    let loop: Loop
    let response: HTTPResponse
    let stream: StreamCore?
    let preparation: Preparation
    let isToHead: Bool
    let log: Log?

    /// Sends the response from the thread of the loop.
    func post() {
      // If the loop has ended, and its connections with it, this only frees the exchange.
      if !loop.post(send) { send() }
    }

    func send() {
      loop.assertConfined()
      let status = preparation.isNotModified ? 304 : response.status
      HeaderBlock.bytes(response, preparation).withUnsafeBytes { headers in
        withBody { body in
          var raw = ceh_response(
            status: Int32(clamping: status),
            headers: headers.bindMemory(to: CChar.self).baseAddress, headers_size: headers.count,
            body: body.baseAddress, body_size: body.count, unsized: stream != nil)
          if let stream, !isToHead {
            begin(stream, &raw)
          } else {
            let sent = ceh_exchange_reply(pointer, &raw)
            if let log { log.write(status, sent, log.microseconds) }
            stream?.end()
          }
        }
      }
      if let stream { response.stream?(ResponseStream(stream)) }
    }

    private func withBody(_ body: (UnsafeRawBufferPointer) -> Void) {
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
      guard let log else { return }
      let microseconds = log.microseconds
      stream.atEnd { log.write(response.status, $0, microseconds) }
    }
  }
}
