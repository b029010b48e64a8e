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

/// A feature that is being added to an index.
struct FeatureEntry: BitwiseCopyable {
  var position: Position
  var reference: RecordReference
  /// Its ordinal in the old index, or ``isNew``.
  var origin = isNew
  /// Its expiry in milliseconds since 1970, or ``never``.
  var expires: Int64

  static let isNew = UInt32.max
  static let never = Int64.max

  /// Creates the entry of a new feature from its record in the arena.
  init(_ reference: RecordReference, _ record: FeatureRecord) {
    position = Position(record.coordinate)
    self.reference = reference
    expires = record.expires ?? FeatureEntry.never
  }

  /// Creates the entry of an existing feature.
  init(_ offset: Int, of block: FeatureBlock, origin: Int) {
    position = block.points.positions.pointer[offset]
    reference = block.references.pointer[offset]
    self.origin = UInt32(origin)
    expires = block.expires?.pointer[offset] ?? FeatureEntry.never
  }
}

/// Divides a sequence into blocks.
enum BlockCuts {
  /// Returns the ends of blocks of at most `capacity` of `count` elements. Where there is a choice,
  /// a block ends at the largest jump along the curve, so that it covers a few large squares rather
  /// than many small ones. O(n).
  ///
  /// - Parameter position: returns the position of an element; they are in index order.
  @inline(__always)
  static func ends(count: Int, capacity: Int, position: (Int) -> Position) -> [Int] {
    var ends: [Int] = []
    var start = 0
    while count - start > capacity {
      let last = min(start + capacity, count - capacity / 4)
      var best = (jump: Position(x: 0, y: 0), end: last)
      for end in start + capacity / 2...last {
        let jump = position(end - 1).difference(from: position(end))
        if jump > best.jump { best = (jump, end) }
      }
      ends.append(best.end)
      start = best.end
    }
    if start < count { ends.append(count) }
    return ends
  }
}
