import Glibc
import Synchronization
import Threading

/// The end of a service by a signal that comes before it is ready: what it has to load may take minutes, and its store
/// may be silent. It ends as after a kill, which loses nothing that it has answered.
final class EarlyStop: Sendable {
  private let hasStarted = Atomic(false)

  /// Waits for SIGTERM and SIGINT, which all threads block, on a thread of its own.
  ///
  /// - Parameter end: is called with the signal before the process ends with 0.
  init(_ end: @escaping @Sendable (Int32) -> Void) {
    let thread = SystemThread { [self] in
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGTERM)
      sigaddset(&signals, SIGINT)
      while !hasStarted.load(ordering: .acquiring) {
        var pause = timespec(tv_sec: 0, tv_nsec: 100_000_000)
        let received = sigtimedwait(&signals, nil, &pause)
        guard received > 0 else { continue }
        if hasStarted.load(ordering: .acquiring) {
          // It is for the service that has started meanwhile.
          kill(getpid(), received)
        } else {
          end(received)
          _exit(0)
        }
      }
    }
    thread?.detach()
  }

  /// Leaves signals to the service, which is ready or has failed.
  func isOver() { hasStarted.store(true, ordering: .releasing) }
}
