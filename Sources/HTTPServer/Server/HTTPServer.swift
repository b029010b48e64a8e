import CEvHTTP
import Dispatch
import Glibc
import Threading

/// An HTTP/1.1 server: event loops that share one port, each on a thread of its own.
///
/// It listens as soon as it is created and answers from ``start()`` to ``shutdown()``. Its handler must
/// not release the last reference to it.
public final class HTTPServer: Sendable {
  /// Answers a request, now or later, on any thread, exactly once.
  ///
  /// A second call of the reply is ignored. If the reply is released without a call, the client gets
  /// a 500.
  public typealias Handler =
    @Sendable (HTTPRequest, @escaping @Sendable (HTTPResponse) -> Void) -> Void

  private enum State { case bound, running, stopped }

  /// The port that the server listens on, also if the configuration says 0.
  public let port: Int
  private let configuration: Configuration
  private let gauge: Gauge
  private let loops: [Loop]
  private let state = Locked(State.bound)

  /// Creates a server that listens and does not answer yet.
  ///
  /// - Throws: ``HTTPServerError`` if the address can't be listened on, or memory is short.
  public init(
    configuration: Configuration, handler: @escaping Handler
  ) throws(HTTPServerError) {
    guard let port = UInt16(exactly: configuration.port) else {
      throw .badPort(configuration.port)
    }
    let noMemory = HTTPServerError.system(
      operation: "cannot create an event loop", reason: "out of memory")
    guard let gauge = Gauge() else { throw noMemory }
    var bound = port
    var loops: [Loop] = []
    for index in 0..<max(1, configuration.threads) {
      var resolveError: Int32 = 0
      let listener = ceh_listen(configuration.host, bound, index > 0, &bound, &resolveError)
      guard listener >= 0 else {
        throw .listening(
          host: configuration.host, port: configuration.port, errno: errno,
          resolveError: resolveError)
      }
      let context = LoopContext(handler: handler, configuration: configuration)
      guard let loop = Loop(listener: listener, context: context, gauge: gauge) else {
        throw noMemory
      }
      if let tls = configuration.tls { loop.use(tls) }
      loops.append(loop)
    }
    self.configuration = configuration
    self.port = Int(bound)
    self.gauge = gauge
    self.loops = loops
  }

  deinit { shutdown() }

  /// Lets new connections use TLS as this says. Those that are open go on as they are.
  public func use(_ tls: TLSContext) {
    for loop in loops { loop.use(tls) }
  }

  /// The number of open connections.
  public var openConnections: Int { gauge.value }

  /// The number of handshakes of TLS that were finished so far.
  public var finishedHandshakes: Int { gauge.handshakes }

  /// Whether each event loop, if the server runs, takes up a job within a time. Blocks until it is known.
  public func responds(within seconds: Double) -> Bool {
    guard state.withLock({ $0 }) == .running else { return true }
    let group = DispatchGroup()
    for loop in loops {
      group.enter()
      if !loop.post({ group.leave() }) { group.leave() }
    }
    return group.wait(timeout: .now() + seconds) == .success
  }

  /// Starts the threads and begins to answer. Has no effect on a server that was started before.
  ///
  /// - Throws: ``HTTPServerError/system(operation:reason:)`` if a thread can't be started.
  public func start() throws(HTTPServerError) {
    let failure = state.withLock { state -> HTTPServerError? in
      guard state == .bound else { return nil }
      for (index, loop) in loops.enumerated() {
        do throws(HTTPServerError) {
          try loop.start()
        } catch {
          end(loops[..<index], drainSeconds: 0)
          state = .stopped
          return error
        }
      }
      state = .running
      return nil
    }
    if let failure { throw failure }
  }

  /// Stops accepting, answers requests in flight, closes idle connections, and returns when all of that
  /// is done or ``Configuration/drainTimeout`` is over. A second call has no effect. Handlers must not
  /// call it on the server's own threads, which it waits for.
  public func shutdown() {
    precondition(!loops.contains { $0.isCurrent }, "shutdown() on a thread of the server")
    state.withLock { state in
      if state == .running { end(loops[...], drainSeconds: configuration.drainTimeout) }
      state = .stopped
    }
  }

  private func end(_ loops: ArraySlice<Loop>, drainSeconds: Int) {
    for loop in loops { loop.stop(drainSeconds: drainSeconds) }
    for loop in loops { loop.join() }
  }
}

/// The number of open connections, shared by the loops of one server.
///
/// `@unchecked Sendable`: the C side is an atomic integer.
final class Gauge: @unchecked Sendable {
  let pointer: OpaquePointer

  init?() {
    guard let pointer = ceh_gauge_new() else { return nil }
    self.pointer = pointer
  }

  deinit { ceh_gauge_free(pointer) }

  var value: Int { ceh_gauge_value(pointer) }

  /// The handshakes of TLS that were finished.
  var handshakes: Int { ceh_gauge_handshakes(pointer) }
}
