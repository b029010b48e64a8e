import CEvHTTP
import Glibc

/// Answers a request, now or later, from any thread, exactly once.
///
/// A second call is ignored. When the reply is dropped without a call, the client gets a 500.
public typealias HTTPHandler =
  @Sendable (HTTPRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void

/// What the callbacks of a loop need.
///
/// `@unchecked Sendable`: `loop` is written once, before the loop's thread exists.
final class LoopContext: @unchecked Sendable {
  let handler: HTTPHandler
  let configuration: HTTPServer.Configuration
  /// Unowned, for the loop owns the context. It lives while callbacks come: its owner joins the
  /// loop's thread first.
  unowned(unsafe) fileprivate(set) var loop: Loop?

  init(handler: @escaping HTTPHandler, configuration: HTTPServer.Configuration) {
    self.handler = handler
    self.configuration = configuration
  }

  /// The context that a C callback was given.
  static func from(_ pointer: UnsafeMutableRawPointer?) -> LoopContext? {
    pointer.map { Unmanaged<LoopContext>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The owner of one event loop and its thread.
///
/// `@unchecked Sendable`: the pointer never changes, and of the functions used with it outside the
/// loop's thread the shim says that any thread may call them.
final class Loop: @unchecked Sendable {
  let pointer: OpaquePointer
  private let context: LoopContext
  private let gauge: Gauge

  /// Takes ownership of the listening socket.
  init?(listener: Int32, context: LoopContext, gauge: Gauge, overload: [UInt8]) {
    let configuration = context.configuration
    var limits = ceh_limits(
      max_header_bytes: configuration.maximumHeaderBytes,
      max_body_bytes: configuration.maximumBodyBytes,
      idle_timeout_seconds: Int32(clamping: configuration.idleTimeout),
      max_connections: configuration.maximumConnections)
    var handlers = ceh_handlers(
      context: Unmanaged.passUnretained(context).toOpaque(),
      on_request: { LoopContext.from($0)?.receive($1) },
      on_failure: { LoopContext.from($0)?.fail($1, status: Int($2), reason: $3) })
    let made = overload.withUnsafeBytes {
      ceh_loop_new(listener, &limits, gauge.pointer, &handlers, $0.baseAddress, $0.count)
    }
    guard let made else { return nil }
    pointer = made
    self.context = context
    self.gauge = gauge
    context.loop = self
  }

  deinit { ceh_loop_free(pointer) }

  /// Spawns the thread; it must be joined before this object goes.
  func start() throws(HTTPServerError) {
    let code = ceh_loop_start(pointer)
    guard code == 0 else {
      throw .system(operation: "cannot start a thread", reason: String(cString: strerror(code)))
    }
  }

  func stop(drainSeconds: Int) {
    ceh_loop_stop(
      pointer, Int32(clamping: drainSeconds.multipliedReportingOverflow(by: 1000).partialValue))
  }

  func join() { ceh_loop_join(pointer) }

  var isCurrent: Bool { ceh_loop_is_current(pointer) }
}

extension LoopContext {
  fileprivate func receive(_ pointer: OpaquePointer?) {
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
      let info = ProtocolErrorInfo(reason: "the request target is not UTF-8", method: method)
      exchange.reply(configuration.protocolErrorResponse(400, info))
      return
    }
    let size = ceh_exchange_body_size(pointer)
    if size > 0 {
      guard let body = ceh_exchange_body_take(pointer) else {
        let info = ProtocolErrorInfo(
          reason: "out of memory", method: method, target: request.target)
        exchange.reply(configuration.protocolErrorResponse(503, info))
        return
      }
      request.body = RequestBody(owning: body, count: size)
    }
    handler(request) { exchange.reply($0) }
  }

  fileprivate func fail(_ pointer: OpaquePointer?, status: Int, reason: UnsafePointer<CChar>?) {
    guard let pointer, let loop else { return }
    let info = ProtocolErrorInfo(
      reason: reason.map { String(cString: $0) } ?? "",
      method: HTTPMethod(ceh_exchange_method(pointer)),
      target: ceh_exchange_target(pointer).map { String(cString: $0) })
    let request = HTTPRequest(method: info.method, path: info.target ?? "")
    let exchange = Exchange(pointer, loop: loop, context: self, request: request)
    exchange.reply(configuration.protocolErrorResponse(status, info))
  }
}

extension HTTPMethod {
  /// The method for the shim's number.
  init(_ method: ceh_method) {
    switch method {
    case CEH_GET: self = .get
    case CEH_HEAD: self = .head
    case CEH_POST: self = .post
    case CEH_PUT: self = .put
    case CEH_DELETE: self = .delete
    case CEH_OPTIONS: self = .options
    case CEH_PATCH: self = .patch
    case CEH_TRACE: self = .trace
    case CEH_CONNECT: self = .connect
    default: self = .other
    }
  }

  /// The shim's number.
  var number: ceh_method {
    switch self {
    case .get: CEH_GET
    case .head: CEH_HEAD
    case .post: CEH_POST
    case .put: CEH_PUT
    case .delete: CEH_DELETE
    case .options: CEH_OPTIONS
    case .patch: CEH_PATCH
    case .trace: CEH_TRACE
    case .connect: CEH_CONNECT
    case .other: CEH_OTHER
    }
  }
}
