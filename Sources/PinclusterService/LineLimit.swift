import Threading

/// Limits lines of the log of one kind to some a second, so that a crowd of requests doesn't drown the others.
final class LineLimit: Sendable {
  private struct State: Sendable {
    /// The second, on a monotonic clock, and the lines of a kind in it and left out since one was written.
    var second: UInt = 0
    var written = 0
    var leftOut = 0
  }

  private let most: Int
  // Kinds are few, as the program names them.
  private let kinds = Locked<[String: State]>([:])  // Characters: kinds of lines of the program

  /// - Parameter most: the most lines of a kind in a second.
  init(most: Int) { self.most = most }

  /// Whether a line may be written: the number of those before it that might not, or nil if it may not.
  func admit(_ kind: String) -> Int? {
    let second = MonotonicTime.now / 1_000_000_000
    return kinds.withLock { kinds in
      var state = kinds[kind] ?? State()
      defer { kinds[kind] = state }
      if state.second != second { (state.second, state.written) = (second, 0) }
      guard state.written < most else {
        state.leftOut += 1
        return nil
      }
      defer { state.leftOut = 0 }
      state.written += 1
      return state.leftOut
    }
  }
}
