import Synchronization

/// A piece of a ``FeatureIndex`` that never changes: features that follow each other in index order.
final class FeatureBlock: Sendable {
  let points: PointBlock
  /// When each expires; nil if none does.
  let expires: FixedArray<Int64>?
  /// The earliest of those.
  let nextExpiry: Int64
  /// Tells it from all other blocks that there ever were, without keeping it alive.
  let serial = FeatureBlock.serials.add(1, ordering: .relaxed).newValue

  private static let serials = Atomic<UInt64>(0)

  /// A block of at least one feature, whose records are in an arena. O(n).
  convenience init(_ entries: UnsafeBufferPointer<FeatureEntry>, _ records: RecordArena) {
    let count = entries.count
    let positions = FixedArray<Position>(uninitialized: count)
    let references = FixedArray<RecordReference>(uninitialized: count)
    var next = FeatureEntry.never
    for (offset, entry) in entries.enumerated() {
      positions.pointer[offset] = entry.position
      references.pointer[offset] = entry.reference
      next = min(next, entry.expires)
    }
    let expires = next == FeatureEntry.never ? nil : FixedArray<Int64>(uninitialized: count)
    if let expires {
      for (offset, entry) in entries.enumerated() { expires.pointer[offset] = entry.expires }
    }
    self.init(
      PointBlock(positions: positions, references: references, records: records),
      expires: expires)
  }

  /// - Parameter expires: when each of the features expires; nil if none does.
  init(_ points: PointBlock, expires: FixedArray<Int64>?) {
    self.points = points
    self.expires = expires
    nextExpiry =
      expires.flatMap { UnsafeBufferPointer(start: $0.pointer, count: $0.count).min() }
      ?? FeatureEntry.never
  }

  /// Where the features' records are.
  var references: FixedArray<RecordReference> { points.references }

  /// The number of features.
  var count: Int { points.count }

  /// The memory it takes beside the records, in bytes.
  var byteCount: Int { points.byteCount + (expires?.byteCount ?? 0) }
}
