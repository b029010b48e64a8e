import Synchronization

/// A feature on its way into an index.
struct FeatureEntry: BitwiseCopyable {
  var position: Position
  var reference: RecordReference
  /// Its place in the index that a change was applied to.
  var origin = isNew
  /// When it expires, ``never`` if it doesn't.
  var expires: Int64

  static let isNew = UInt32.max
  static let never = Int64.max

  /// A new feature with a record that was just appended.
  init(_ reference: RecordReference, _ record: FeatureRecord) {
    position = Position(record.coordinate)
    self.reference = reference
    expires = record.expires ?? FeatureEntry.never
  }

  /// A feature of a block.
  init(_ offset: Int, of block: FeatureBlock, origin: Int) {
    position = block.points.positions.pointer[offset]
    reference = block.references.pointer[offset]
    self.origin = UInt32(origin)
    expires = block.expires?.pointer[offset] ?? FeatureEntry.never
  }
}

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

/// Where a sequence is cut into blocks.
enum BlockCuts {
  /// The ends of blocks of at most `capacity` out of `count` elements. Where there is a choice, a block
  /// ends where the curve jumps furthest, so that it covers few large squares rather than many small
  /// ones. O(n).
  ///
  /// - Parameter key: of an element: its place on the curve.
  static func ends(count: Int, capacity: Int, key: (Int) -> UInt64) -> [Int] {
    var ends: [Int] = []
    var start = 0
    while count - start > capacity {
      let last = min(start + capacity, count - capacity / 4)
      var best = (jump: UInt64(0), end: last)
      var before = key(start + capacity / 2 - 1)
      for end in start + capacity / 2...last {
        let after = key(end)
        if before ^ after > best.jump { best = (before ^ after, end) }
        before = after
      }
      ends.append(best.end)
      start = best.end
    }
    if start < count { ends.append(count) }
    return ends
  }
}
