import ClusterCore
import Dispatch
import Threading

/// Ranges that several threads read, and one takes in their order.
final class RangeQueue: Sendable {
  private struct State {
    var started = 0
    var taken = 0
    var done: [Int: [FeatureBatch]] = [:]
    var failure: (any Error)?
  }

  private let count: Int
  private let state = Locked(State())
  /// Counts the ranges that may be begun, so that not all lie in memory at once.
  private let room = DispatchSemaphore(value: 0)
  private let news = DispatchSemaphore(value: 0)

  init(count: Int, ahead: Int) {
    self.count = count
    for _ in 0..<ahead { room.signal() }
  }

  /// The next range to read; nil if there is none, or if reading has failed.
  func take() -> Int? {
    room.wait()
    return state.withLock { state in
      guard state.started < count, state.failure == nil else {
        room.signal()
        return nil
      }
      state.started += 1
      return state.started - 1
    }
  }

  func put(_ batches: [FeatureBatch], for number: Int) {
    state.withLock { $0.done[number] = batches }
    news.signal()
  }

  func fail(_ error: any Error) {
    state.withLock { $0.failure = $0.failure ?? error }
    room.signal()
    news.signal()
  }

  /// Waits for the next range in order; nil after the last one.
  func next() throws -> [FeatureBatch]? {
    while true {
      let (batches, isEnd) = try state.withLock { state -> ([FeatureBatch]?, Bool) in
        if let failure = state.failure { throw failure }
        if state.taken == count { return (nil, true) }
        guard let batches = state.done.removeValue(forKey: state.taken) else { return (nil, false) }
        state.taken += 1
        return (batches, false)
      }
      if isEnd {
        room.signal()
        return nil
      }
      if let batches {
        room.signal()
        return batches
      }
      news.wait()
    }
  }
}
