import CEvHTTP
import Glibc
import Synchronization

/// One request that waits for its reply, wherever that comes from.
///
/// `@unchecked Sendable`: `pointer` is used on the loop's thread only, or after that has ended; the
/// atomic flag sees to it that it is used, and with that freed, exactly once. The exchange retains
/// the loop, so the loop's memory is there however late the reply comes.
final class Exchange: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let loop: Loop
  private let context: LoopContext
  /// Without its body: what is needed to prepare the answer.
  private let request: HTTPRequest
  private let started: UInt64
  private let replied = Atomic<Bool>(false)

  init(_ pointer: OpaquePointer, loop: Loop, context: LoopContext, request: HTTPRequest) {
    self.pointer = pointer
    self.loop = loop
    self.context = context
    self.request = request
    started = context.configuration.onRequest == nil ? 0 : Self.now()
  }

  deinit {
    guard !replied.load(ordering: .acquiring) else { return }
    let info = ProtocolErrorInfo(
      reason: "the request was not answered", method: request.method, target: request.target)
    deliver(context.configuration.protocolErrorResponse(500, info))
  }

  /// Sends the response, the first time that it is called.
  func reply(_ response: HTTPResponse) {
    guard !replied.exchange(true, ordering: .acquiringAndReleasing) else { return }
    deliver(response)
  }

  private func deliver(_ response: HTTPResponse) {
    // Compression and the like happen here, on the thread that replies.
    let delivery = Delivery(
      pointer: pointer, loop: loop, response: response,
      preparation: Preparation(of: response, for: request), isToHead: request.method == .head,
      log: log)
    if loop.isCurrent { delivery.send() } else { delivery.post() }
  }

  private var log: Delivery.Log? {
    guard let write = context.configuration.onRequest else { return nil }
    return Delivery.Log(write: write, request: request, started: started)
  }

  /// Microseconds of a clock that only goes forward.
  fileprivate static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
  }

  /// A prepared answer on its way to the loop's thread. `pointer` is used by `send()` alone, called once.
  private struct Delivery {
    struct Log {
      let write: @Sendable (RequestLog) -> Void
      let request: HTTPRequest
      let started: UInt64

      func write(status: Int, bytesSent: Int, microseconds: Int) {
        write(
          RequestLog(
            method: request.method, path: request.path, query: request.query, status: status,
            bytesSent: bytesSent, microseconds: microseconds))
      }

      var microseconds: Int { Int(Exchange.now() - started) }
    }

    let pointer: OpaquePointer
    let loop: Loop
    let response: HTTPResponse
    let preparation: Preparation
    let isToHead: Bool
    let log: Log?

    /// Sends it from the loop's thread.
    func post() {
      let box = Unmanaged.passRetained(Box(self))
      let posted = ceh_loop_post(
        loop.pointer,
        { $0.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().delivery.send() } },
        box.toOpaque())
      // The loop has ended and its connections with it: this only frees the exchange.
      if !posted { box.takeRetainedValue().delivery.send() }
    }

    private final class Box {
      let delivery: Delivery
      init(_ delivery: Delivery) { self.delivery = delivery }
    }

    func send() {
      let core = response.stream.map { _ in StreamCore(loop) }
      let status = preparation.isNotModified ? 304 : response.status
      HeaderBlock.bytes(response, preparation).withUnsafeBytes { headers in
        (preparation.packed ?? response.body).withUnsafeBytes { body in
          let body = preparation.isNotModified ? UnsafeRawBufferPointer(rebasing: body[..<0]) : body
          var raw = ceh_response(
            status: Int32(clamping: status),
            headers: headers.bindMemory(to: CChar.self).baseAddress, headers_size: headers.count,
            body: body.baseAddress, body_size: body.count, unsized: core != nil)
          if let core, !isToHead {
            begin(core, &raw)
          } else {
            let sent = ceh_exchange_reply(pointer, &raw)
            log?.write(status: status, bytesSent: sent, microseconds: log?.microseconds ?? 0)
            core?.end()
          }
        }
      }
      if let core { response.stream?(ResponseStream(core)) }
    }

    private func begin(_ core: StreamCore, _ raw: inout ceh_response) {
      core.begin(pointer, &raw)
      guard let log else { return }
      let microseconds = log.microseconds
      core.atEnd { log.write(status: response.status, bytesSent: $0, microseconds: microseconds) }
    }
  }
}
