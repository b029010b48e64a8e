import HTTPServer
import Threading

/// Counts refusals, by reason. Can be used on any thread.
final class Refusals: Sendable {
  // Refusals are rare enough for a lock.
  private let counts = Locked<[Refusal: Int]>([:])

  /// Counts a refusal.
  func count(_ refusal: Refusal) { counts.withLock { $0[refusal, default: 0] += 1 } }

  /// Counts a problem that a client was told, if it is a refusal, which is returned. One of the size of a body
  /// needs no mark.
  @discardableResult
  func count(_ problem: Problem) -> Refusal? {
    guard let refusal = problem.refusal ?? (problem.status == 413 ? .bodySize : nil) else {
      return nil
    }
    count(refusal)
    return refusal
  }

  /// Counts a refusal by the server, before there was a request.
  func count(_ refusal: ConnectionRefusal) {
    if let refusal = Refusal(rawValue: refusal.rawValue) { count(refusal) }
  }

  /// The refusals so far, of every reason.
  var figures: [(reason: Refusal, count: Int)] {
    let counts = self.counts.withLock { $0 }
    return Refusal.allCases.map { ($0, counts[$0] ?? 0) }
  }
}
