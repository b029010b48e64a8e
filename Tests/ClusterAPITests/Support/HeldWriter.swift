import Dispatch
import HTTPServer

@testable import ClusterAPI

/// Holds a service's writer up until it is let go, so that writes gather behind it.
final class HeldWriter: Sendable {
  private let gate = DispatchSemaphore(value: 0)

  /// Returns when the writer waits.
  init(_ service: Service) {
    let gate = self.gate
    let reached = DispatchSemaphore(value: 0)
    let hold = Write.alone(by: CatalogView(service.catalog), in: "held") { _ in
      reached.signal()
      gate.wait()
      return HTTPResponse(status: 204)
    }
    guard let share = service.writer.memory.share(of: 0, for: 0),
      service.writer.enqueue(hold, share, answer: { _ in })
    else { return }
    reached.wait()
  }

  /// Lets the writer go on.
  func release() { gate.signal() }
}
