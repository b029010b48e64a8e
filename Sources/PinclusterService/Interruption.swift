import Glibc
import Synchronization

/// SIGINT and SIGTERM, for a command that ends in good order when it gets one. A second one ends it at once.
enum Interruption {
  /// The signal that has come; 0 for none.
  private static let received = Atomic<Int32>(0)

  /// The error that a signal has come.
  struct Received: Error {
    let signal: Int32

    /// The exit code of a command that a signal has ended, as shells have it.
    var exitCode: Int32 { 128 + signal }
  }

  /// Notes signals from now on. System calls that wait are interrupted.
  static func watch() {
    for number in [SIGINT, SIGTERM] {
      var action = sigaction()
      // A lock-free store is all that a handler may do.
      action.__sigaction_handler.sa_handler = {
        Interruption.received.store($0, ordering: .relaxed)
      }
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
  }

  /// Throws if a signal has come.
  static func check() throws(Received) {
    let signal = received.load(ordering: .relaxed)
    if signal != 0 { throw Received(signal: signal) }
  }
}
