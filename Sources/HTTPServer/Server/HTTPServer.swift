import CEvHTTP
import Glibc
import Threading

/// An HTTP/1.1 server: a few event loops, each on a thread, that share one port.
///
/// It listens from the moment it exists and answers from ``start()`` to ``shutdown()``. The last
/// reference must not be dropped on a thread of its own, that is, by its handler.
public final class HTTPServer: Sendable {
  private enum State { case bound, running, stopped }

  /// The port on which it listens, also when the configuration says 0.
  public let port: Int
  private let configuration: Configuration
  private let gauge: Gauge
  private let loops: [Loop]
  private let state = Locked(State.bound)

  /// Listens, but does not answer yet.
  public init(
    configuration: Configuration, handler: @escaping HTTPHandler
  ) throws(HTTPServerError) {
    guard let port = UInt16(exactly: configuration.port) else {
      throw .badPort(configuration.port)
    }
    let gauge = Gauge()
    let overload = Self.overloadBytes(configuration)
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
      guard
        let loop = Loop(listener: listener, context: context, gauge: gauge, overload: overload)
      else { throw .system(operation: "cannot make an event loop", reason: "out of memory") }
      loops.append(loop)
    }
    self.configuration = configuration
    self.port = Int(bound)
    self.gauge = gauge
    self.loops = loops
  }

  deinit { shutdown() }

  /// The number of connections that are open now.
  public var openConnections: Int { gauge.value }

  /// Spawns the threads and begins to answer. A second call does nothing.
  public func start() {
    state.withLock { state in
      guard state == .bound else { return }
      do throws(HTTPServerError) {
        for loop in loops { try loop.start() }
        state = .running
      } catch {
        fatalError(error.description)
      }
    }
  }

  /// Stops accepting, answers what is in flight, closes idle connections, and returns when all is
  /// done or ``Configuration/drainTimeout`` is over. Idempotent; not to be called by a handler on
  /// the server's own threads, for which it waits.
  public func shutdown() {
    precondition(!loops.contains { $0.isCurrent }, "shutdown() on a thread of the server")
    state.withLock { state in
      if state == .running {
        for loop in loops { loop.stop(drainSeconds: configuration.drainTimeout) }
        for loop in loops { loop.join() }
      }
      state = .stopped
    }
  }

  /// The whole answer for a connection beyond the limit.
  private static func overloadBytes(_ configuration: Configuration) -> [UInt8] {
    let info = ProtocolErrorInfo(reason: "the server has too many connections")
    let answer = configuration.protocolErrorResponse(503, info)
    let head =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: \(answer.body.count)\r\nConnection: close\r\n"
    return Array(head.utf8) + HeaderBlock.bytes(answer) + Array("\r\n".utf8) + answer.body
  }
}
