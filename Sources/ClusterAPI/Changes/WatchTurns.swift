import Threading

/// Decides which watched viewport is next: the addresses take turns by the time that their viewports took lately,
/// and the viewports of one address by how long they have waited, where an expensive one must wait longer.
struct WatchTurns {
  /// A viewport that is due.
  struct Candidate {
    /// The addresses of its watchers.
    var clients: [UInt64]
    /// The seconds of work that it is expected to be.
    var cost: Double
    /// The seconds that it has been due.
    var waited: Double
  }

  /// The share of time used by an address that counts a second later.
  private static let decay = 0.5
  /// How many times its cost a viewport waits while others of its address are due.
  private static let patience = 10.0

  private var used: [UInt64: Double] = [:]

  /// Counts time that a viewport took, which its addresses share.
  mutating func charge(_ seconds: Double, to clients: [UInt64]) {
    for client in clients { used[client, default: 0] += seconds / Double(clients.count) }
  }

  /// Forgets part of the time that was used, as some has passed.
  mutating func pass(_ seconds: Double) {
    for _ in 0..<Int(min(seconds, 40)) {
      used = used.mapValues { $0 * WatchTurns.decay }.filter { $0.value > 1e-6 }
    }
  }

  /// The index of the candidate that is next. O(candidates and their addresses).
  func next(of candidates: [Candidate]) -> Int? {
    candidates.indices.min { rank(candidates[$0]) < rank(candidates[$1]) }
  }

  /// The rank of a candidate; the lowest is next. A viewport that several watch is in turn with the
  /// first of them.
  private func rank(_ candidate: Candidate) -> (used: Double, wait: Double) {
    let used = candidate.clients.lazy.map { self.used[$0] ?? 0 }.min() ?? 0
    return (used, candidate.cost * WatchTurns.patience - candidate.waited)
  }
}
