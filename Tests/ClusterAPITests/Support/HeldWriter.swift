import Dispatch

@testable import ClusterAPI
@testable import Collections

/// Holds a service's writer up until it is let go, so that writes gather behind it.
final class HeldWriter: Sendable {
  private let gate = DispatchSemaphore(value: 0)

  /// Returns when the writer waits.
  init(_ service: Service) {
    let gate = self.gate
    let reached = DispatchSemaphore(value: 0)
    service.writer.queue.async {
      reached.signal()
      gate.wait()
    }
    reached.wait()
  }

  /// Lets the writer go on.
  func release() { gate.signal() }
}
