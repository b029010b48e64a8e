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
    guard let isMore = clearSome(), isMore else { return }
    clearing.took(DispatchTime.now().uptimeNanoseconds - start)
    clearing.isScheduled = true
    queue.async { [weak self] in
      self?.clearing.isScheduled = false
      self?.clearDropped()
    }
  }

  /// Deletes some rows. Returns whether there may be more; nil if it failed.
  private func clearSome() -> Bool? {
    do {
      return try store.clearDropped(atMost: clearing.rows)
    } catch StoreError.full {
      var isMore: Bool?
      let store = store
      store.makingRoom {
        for limit in [Clearing.fewest, 1] where isMore == nil {
          isMore = try? store.clearDropped(atMost: limit)
        }
      }
      return isMore
    } catch {
      return nil
    }
  }
}
