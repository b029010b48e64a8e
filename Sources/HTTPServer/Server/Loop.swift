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
  ///
  /// - Parameters:
  ///   - overload: The response to a connection beyond the limit.
  ///   - late: The response to a request that arrives too slowly.
  init?(listener: Int32, context: LoopContext, gauge: Gauge, overload: [UInt8], late: [UInt8]) {
    let configuration = context.configuration
    var limits = ceh_limits(
      max_header_bytes: configuration.maximumHeaderBytes,
      max_body_bytes: configuration.maximumBodyBytes,
      idle_timeout_seconds: Int32(clamping: configuration.idleTimeout),
      head_timeout_seconds: Int32(clamping: configuration.headTimeout),
      min_body_bytes: configuration.headTimeout * configuration.minimumBodyRate,
      max_connections: configuration.maximumConnections,
      max_accepted: configuration.spareConnections, max_lingering: configuration.spareConnections)
    var handlers = context.handlers
    let made = overload.withUnsafeBytes { overload in
      late.withUnsafeBytes { late in
        ceh_loop_new(
          listener, &limits, gauge.pointer, &handlers,
          ceh_bytes(bytes: overload.baseAddress, size: overload.count),
          ceh_bytes(bytes: late.baseAddress, size: late.count))
      }
    }
    guard let made else { return nil }
    pointer = made
    self.context = context
    self.gauge = gauge
    context.loop = self
  }

  deinit { ceh_loop_free(pointer) }

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
