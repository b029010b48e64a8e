import Synchronization

/// An immutable part of a ``FeatureIndex``: consecutive features in index order.
final class FeatureBlock: Sendable {
  let points: PointBlock
  /// The expiry of each feature, ``FeatureEntry/never`` if it has none; nil if none has one.
  let expires: FixedArray<Int64>?
  /// The earliest expiry.
  let nextExpiry: Int64
  /// A number that identifies the block within the process without keeping it alive.
  let serial = FeatureBlock.serials.add(1, ordering: .relaxed).newValue

  private static let serials = Atomic<UInt64>(0)

  /// Creates a block of at least one feature. Their records are in `records`. O(n).
  convenience init(_ entries: UnsafeBufferPointer<FeatureEntry>, _ records: RecordArena) {
    let count = entries.count
    let positions = WritableArray<Position>(count: count)
    let references = WritableArray<RecordReference>(count: count)
    var next = FeatureEntry.never
    for (offset, entry) in entries.enumerated() {
      positions.pointer[offset] = entry.position
      references.pointer[offset] = entry.reference
      next = min(next, entry.expires)
    }
    let expires = next == FeatureEntry.never ? nil : WritableArray<Int64>(count: count)
    if let expires {
      for (offset, entry) in entries.enumerated() { expires.pointer[offset] = entry.expires }
    }
    self.init(
      PointBlock(positions: positions.fixed, references: references.fixed, records: records),
      expires: expires?.fixed)
  }

  /// - Parameter expires: see ``expires``.
  init(_ points: PointBlock, expires: FixedArray<Int64>?) {
    self.points = points
    self.expires = expires
    nextExpiry = expires?.buffer.min() ?? FeatureEntry.never
  }

  var references: FixedArray<RecordReference> { points.references }

  var count: Int { points.count }

  /// The memory it takes without the records, in bytes.
  var byteCount: Int { points.byteCount + (expires?.byteCount ?? 0) }
}
