import Dispatch
import FeatureStore

/// Deletes the rows of collections that were dropped, a few at a time between the writes.
extension CollectionWriter {
  /// How many rows are deleted at once.
  struct Clearing {
    fileprivate static let fewest = 16
    private static let most = 65_536
    /// The time for which writes may have to wait for a clearing, in nanoseconds.
    private static let turn: UInt64 = 4_000_000

    fileprivate var rows = 256
    /// Whether it goes on as soon as the writes that wait now are done.
    fileprivate var isScheduled = false

    /// Takes note of the time that the rows took.
    fileprivate mutating func took(_ nanoseconds: UInt64) {
      let next =
        nanoseconds > Clearing.turn ? rows / 2 : nanoseconds < Clearing.turn / 2 ? rows * 2 : rows
      rows = min(max(next, Clearing.fewest), Clearing.most)
    }
  }

  /// Deletes some rows, if there are any, and goes on after the writes that wait.
  func clearDropped() {
    home.check()
    guard sweeping.timer != nil, !clearing.isScheduled else { return }
    let start = DispatchTime.now().uptimeNanoseconds
    // The timer tries again after a failure, as on a full disk.
    let isMore = atMost(clearing.rows, elseOf: [Clearing.fewest, 1]) {
      try store.clearDropped(atMost: $0)
    }
    guard isMore == true else { return }
    clearing.took(DispatchTime.now().uptimeNanoseconds - start)
    clearing.isScheduled = true
    queue.async { [weak self] in
      self?.clearing.isScheduled = false
      self?.clearDropped()
    }
  }

  /// Deletes up to a number of rows. On a full disk smaller numbers are tried, each if there is no room for the one before.
  ///
  /// - Returns: the result of `delete`; nil if it failed.
  func atMost(
    _ count: Int, elseOf smaller: [Int], _ delete: (_ atMost: Int) throws -> Bool
  ) -> Bool? {
    do {
      return try delete(count)
    } catch StoreError.full {
      var result: Bool?
      store.makingRoom {
        for count in smaller where result == nil { result = try? delete(count) }
      }
      return result
    } catch {
      return nil
    }
  }
}
