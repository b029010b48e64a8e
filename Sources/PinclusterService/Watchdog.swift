import Dispatch
import HTTPServer
import Threading

/// Tells the service manager that each event loop runs, as long as that is so. Everything that a client asks for
/// begins there.
final class Watchdog: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let thread: SystemThread?

  /// Begins, if the manager wants to hear of it.
  init(_ manager: ServiceManager, _ server: HTTPServer) {
    guard let seconds = manager.watchdogSeconds else {
      thread = nil
      return
    }
    thread = SystemThread { [end] in
      while end.wait(timeout: .now() + seconds) == .timedOut {
        if server.responds(within: seconds) { manager.isAlive() }
      }
    }
  }

  /// Ends it. Must be called once.
  func stop() {
    end.signal()
    thread?.join()
  }
}
