import ClusterCore
import Threading

/// Collections without the many features that expire at one time, made shortly before it, so that no reader waits until
/// these are left out.
final class ExpirySuccessors: Sendable {
  /// A collection without the features that expire by a time.
  struct Successor {
    /// The version of the snapshot that it is made of.
    fileprivate var version: Int64
    fileprivate var time: Int64
    var collection: IndexedCollection
    /// The coordinates of the features that are gone.
    var invalidated: [Coordinate]
  }

  /// The blocks of an index that are made anew in a fraction of a millisecond.
  static let fewBlocks = 8
  /// How long before their time features are left out, in milliseconds: two looks of the writer.
  private static let foresight: Int64 = 500

  /// By the ids of collections.
  // Characters: ids of collections, which are of ASCII
  private let all = Locked<[String: Successor]>([:])

  /// The successor of a snapshot at a time, of whose features more may have expired since; nil if none was made.
  func successor(of snapshot: CollectionSnapshot, at now: Int64) -> Successor? {
    all.withLock { $0[snapshot.info.id] }.flatMap {
      $0.version == snapshot.info.version && $0.time <= now ? $0 : nil
    }
  }

  /// Makes the successors of snapshots of which many features are about to expire, and forgets the others.
  ///
  /// - Parameter snapshots: those that are shown. Called on one thread at a time.
  /// - Complexity: O(blocks) of each, and of those that are made O(n) in the blocks with such features.
  func prepare(_ snapshots: [CollectionSnapshot], at now: Int64) {
    let before = all.withLock(\.self)
    // Characters: as above
    var kept: [String: Successor] = [:]
    for snapshot in snapshots {
      let id = snapshot.info.id
      guard let next = snapshot.nextExpiry, next <= now + ExpirySuccessors.foresight,
        snapshot.index.hasExpired(at: next, inMoreThan: ExpirySuccessors.fewBlocks)
      else { continue }
      if let known = before[id], known.version == snapshot.info.version {
        kept[id] = known
      } else if let changed = try? snapshot.collection.applying([
        .remove(snapshot.index.expired(at: next))
      ]) {
        kept[id] = Successor(
          version: snapshot.info.version, time: next, collection: changed.collection,
          invalidated: changed.invalidated)
      }
    }
    // Those of before are freed after the lock is released.
    all.withLock { swap(&$0, &kept) }
  }
}
