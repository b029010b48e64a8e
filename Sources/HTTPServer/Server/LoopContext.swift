import CEvHTTP
import Glibc

/// The context of a loop's callbacks.
///
/// `@unchecked Sendable`: `loop` is written once, before the thread of the loop exists.
final class LoopContext: @unchecked Sendable {
  let handler: HTTPServer.Handler
  let configuration: HTTPServer.Configuration
  /// Unowned because the loop owns the context. It outlives every callback: its owner joins its thread
  /// first.
  unowned(unsafe) var loop: Loop?

  init(handler: @escaping HTTPServer.Handler, configuration: HTTPServer.Configuration) {
    self.handler = handler
    self.configuration = configuration
  }

  /// The shim's callbacks, with this as their context.
  var handlers: ceh_handlers {
    ceh_handlers(
      context: Unmanaged.passUnretained(self).toOpaque(),
      on_request: { LoopContext.from($0)?.receive($1) },
      on_failure: { LoopContext.from($0)?.fail($1, status: Int($2), reason: $3) },
      on_refusal: { context, refusal, reason in
        guard let context = LoopContext.from(context), let refusal = ConnectionRefusal(refusal)
        else { return }
        context.configuration.onRefusal?(refusal, reason.map { String(cString: $0) })
      })
  }

  /// The bytes of a whole response that ends a connection without a request.
  func wholeResponse(_ status: Int, _ reason: String) -> [UInt8] {
    let answer = configuration.protocolErrorResponse(status, reason)
    let sniffing = "X-Content-Type-Options"
    let head =
      "HTTP/1.1 \(status) \(HTTPStatus.phrase(status))\r\nContent-Length: \(answer.body.count)\r\n"
      + "Connection: close\r\n"
      + (answer.header(sniffing) == nil ? "\(sniffing): nosniff\r\n" : "")
      + ([429, 503].contains(status) ? "Retry-After: 1\r\n" : "")
    return Array(head.utf8) + HeaderBlock.bytes(answer) + Array("\r\n".utf8) + answer.body
  }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> LoopContext? {
    pointer.map { Unmanaged<LoopContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Hands a request to the handler.
  private func receive(_ pointer: OpaquePointer?) {
    guard let pointer, let loop else { return }
    let method = HTTPMethod(ceh_exchange_method(pointer))
    let target = ceh_exchange_target(pointer).flatMap { text in
      let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
      return RequestTarget(bytes.bindMemory(to: UInt8.self))
    }
    let headers = HTTPHeaders(size: ceh_exchange_headers_size(pointer)) {
      ceh_exchange_headers_copy(pointer, $0)
    }
    var request = HTTPRequest(
      method: method, path: target?.path ?? "", query: target?.query, headers: headers)
    let exchange = Exchange(pointer, loop: loop, context: self, request: request)
    guard target != nil else {
      return exchange.fail(400, "the request target is not valid UTF-8")
    }
    let size = ceh_exchange_body_size(pointer)
    if size > 0 {
      var pieces: OpaquePointer?
      guard let body = ceh_exchange_body_take(pointer, &pieces) else {
        return exchange.fail(503, "out of memory")
      }
      request.body = RequestBody(
        owning: body, count: size, pieces: pieces.map { RequestBody.Pieces($0) })
      exchange.delivery.bytesReceived = size
    }
    (request.client, request.origin) = (ceh_exchange_client(pointer), exchange)
    handler(request) { exchange.reply($0) }
  }

  /// Replies to a request that the shim refused.
  private func fail(_ pointer: OpaquePointer?, status: Int, reason: UnsafePointer<CChar>?) {
    guard let pointer, let loop else { return }
    let target = ceh_exchange_target(pointer).map { String(cString: $0) }
    let request = HTTPRequest(
      method: HTTPMethod(ceh_exchange_method(pointer)), path: target ?? "")
    let exchange = Exchange(pointer, loop: loop, context: self, request: request)
    exchange.fail(status, reason.map { String(cString: $0) } ?? "")
  }
}
