import Synchronization

/// A feature on its way into an index.
struct FeatureEntry: BitwiseCopyable {
  var coordinate: Coordinate
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
    coordinate = record.coordinate
    position = Position(coordinate)
    self.reference = reference
    expires = record.expires ?? FeatureEntry.never
  }

  /// A feature of a block.
  init(_ offset: Int, of block: FeatureBlock, origin: Int) {
    coordinate = block.points.coordinates.pointer[offset]
    position = block.points.positions.pointer[offset]
    reference = block.references.pointer[offset]
    self.origin = UInt32(origin)
    expires = block.expires?.pointer[offset] ?? FeatureEntry.never
  }
}

/// A piece of a ``FeatureIndex`` that never changes: features that follow each other in index order.
final class FeatureBlock: Sendable {
  let points: PointBlock
  let references: FixedArray<RecordReference>
  /// When each expires; nil if none does.
  let expires: FixedArray<Int64>?
  /// The earliest of those.
  let nextExpiry: Int64
  /// Tells it from all other blocks that there ever were, without keeping it alive.
  let serial = FeatureBlock.serials.add(1, ordering: .relaxed).newValue

  private static let serials = Atomic<UInt64>(0)

  /// A block of at least one feature. O(n).
  init(_ entries: UnsafeBufferPointer<FeatureEntry>) {
    let count = entries.count
    let positions = FixedArray<Position>(uninitialized: count)
    let coordinates = FixedArray<Coordinate>(uninitialized: count)
    references = FixedArray(uninitialized: count)
    var next = FeatureEntry.never
    for (offset, entry) in entries.enumerated() {
      positions.pointer[offset] = entry.position
      coordinates.pointer[offset] = entry.coordinate
      references.pointer[offset] = entry.reference
      next = min(next, entry.expires)
    }
    nextExpiry = next
    expires = next == FeatureEntry.never ? nil : FixedArray(uninitialized: count)
    if let expires {
      for (offset, entry) in entries.enumerated() { expires.pointer[offset] = entry.expires }
    }
    points = PointBlock(positions: positions, coordinates: coordinates)
  }

  /// The number of features.
  var count: Int { references.count }

  /// The memory it takes beside the records, in bytes.
  var byteCount: Int { points.byteCount + references.byteCount + (expires?.byteCount ?? 0) }
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
