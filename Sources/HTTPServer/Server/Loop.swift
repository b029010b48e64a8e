import CEvHTTP
import Glibc

/// The owner of one event loop and its thread.
///
/// `@unchecked Sendable`: the pointer never changes, and outside the thread of the loop it is passed
/// only to functions that the shim allows on any thread.
final class Loop: @unchecked Sendable {
  let pointer: OpaquePointer
  private let context: LoopContext
  private let gauge: Gauge

  /// Creates a loop that takes ownership of the listening socket. Returns nil without memory for it.
  init?(listener: Int32, context: LoopContext, gauge: Gauge) {
    let configuration = context.configuration
    let threads = max(1, configuration.threads)
    var limits = ceh_limits(
      max_header_bytes: configuration.maximumHeaderBytes,
      max_body_bytes: configuration.maximumBodyBytes,
      idle_timeout_seconds: Int32(clamping: configuration.idleTimeout),
      pace_seconds: Int32(clamping: configuration.paceSeconds),
      min_pace_bytes: configuration.paceSeconds * configuration.minimumRate,
      max_input_bytes: max(
        configuration.maximumInputBytes / threads,
        2 * (configuration.maximumBodyBytes + configuration.maximumHeaderBytes)),
      max_output_bytes: max(configuration.maximumOutputBytes / threads, 32 << 20),
      max_connections: configuration.maximumConnections,
      max_accepted: configuration.spareConnections, max_lingering: configuration.spareConnections)
    var handlers = context.handlers
    let made = ceh_loop_new(listener, &limits, gauge.pointer, &handlers)
    guard let made else { return nil }
    pointer = made
    self.context = context
    self.gauge = gauge
    context.loop = self
    for (refusal, status, reason) in [
      (CEH_OVERLOAD, 503, "the server has too many connections"),
      (CEH_LATE, 408, "the request arrived too slowly"),
      (CEH_FULL, 503, "the server holds too many bytes of other requests"),
      (CEH_SHARE, 429, "the server holds too many bytes of this client's requests"),
      (CEH_CROWD, 429, "the connection is needed for other clients"),
      (CEH_PLAIN, 400, "this port takes requests by HTTPS only"),
    ] {
      context.wholeResponse(status, reason).withUnsafeBytes {
        ceh_loop_set_refusal(pointer, refusal, ceh_bytes(bytes: $0.baseAddress, size: $0.count))
      }
    }
  }

  deinit { ceh_loop_free(pointer) }

  /// Lets new connections use TLS. Any thread.
  func use(_ tls: TLSContext) { ceh_loop_set_tls(pointer, tls.pointer) }

  /// Starts the thread, which must be joined before this object goes.
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

  /// Whether this is the thread of the loop.
  var isCurrent: Bool { ceh_loop_is_current(pointer) }

  /// Checks, in debug builds, that this is the thread of the loop or that the loop has ended.
  func assertConfined() {
    assert(ceh_loop_is_confined(pointer), "the state of a loop is used on another thread")
  }

  /// Runs a job on the thread of the loop, after earlier jobs. Returns false, without running it, once the
  /// loop has ended.
  func post(_ job: @escaping () -> Void) -> Bool {
    final class Box {
      let job: () -> Void
      init(_ job: @escaping () -> Void) { self.job = job }
    }
    let box = Unmanaged.passRetained(Box(job))
    let isPosted = ceh_loop_post(
      pointer, { $0.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().job() } },
      box.toOpaque())
    if !isPosted { box.release() }
    return isPosted
  }
}
