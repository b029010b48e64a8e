import ClusterCore

/// The order in which to write a batch: by id, and features with equal ids as they came.
///
/// O(n) for a batch that is in order, O(n log n) otherwise; 16 bytes a feature.
struct WriteOrder {
  /// The features that have an id, by id.
  private(set) var indices: [UInt32] = []
  /// The features that still need one, as they came.
  private(set) var unassigned: [UInt32] = []
  /// The features that are followed by another one with the same id.
  private var overwritten: Set<UInt32> = []

  /// A feature with the start of its id: an integer in an order-preserving unsigned form, or the
  /// first eight bytes of a text, most significant first. Most comparisons end here.
  private struct Entry {
    var prefix: UInt64
    var index: UInt32
    var isText: Bool

    init(_ id: FeatureRecord.RawID, index: UInt32) {
      self.index = index
      switch id {
      case .integer(let value, _):
        isText = false
        prefix = UInt64(bitPattern: value) ^ (1 << 63)
      case .text(let bytes):
        isText = true
        prefix = 0
        for offset in 0..<8 {
          prefix = prefix << 8 | (offset < bytes.count ? UInt64(bytes[offset]) : 0)
        }
      }
    }
  }

  init(_ batch: borrowing FeatureBatch) {
    var entries: [Entry] = []
    entries.reserveCapacity(batch.count)
    for index in 0..<batch.count {
      let number = UInt32(index)
      batch.withRecord(at: index) { record in
        if record.needsID {
          unassigned.append(number)
        } else {
          entries.append(Entry(record.rawID, index: number))
        }
      }
    }
    let isSorted = entries.indices.dropFirst().allSatisfy {
      WriteOrder.compare(entries[$0 - 1], entries[$0], in: batch) <= 0
    }
    if !isSorted { entries.sort { WriteOrder.precedes($0, $1, in: batch) } }
    for index in entries.indices.dropFirst()
    where WriteOrder.compare(entries[index - 1], entries[index], in: batch) == 0 {
      overwritten.insert(entries[index - 1].index)
    }
    indices = entries.map(\.index)
  }

  /// Whether a later feature of the batch has the same id.
  func isOverwritten(_ index: UInt32) -> Bool {
    !overwritten.isEmpty && overwritten.contains(index)
  }

  private static func precedes(_ a: Entry, _ b: Entry, in batch: borrowing FeatureBatch) -> Bool {
    let order = compare(a, b, in: batch)
    return order == 0 ? a.index < b.index : order < 0
  }

  /// Orders two features by id: negative, zero or positive.
  private static func compare(_ a: Entry, _ b: Entry, in batch: borrowing FeatureBatch) -> Int {
    if a.isText != b.isText { return a.isText ? 1 : -1 }
    if a.prefix != b.prefix { return a.prefix < b.prefix ? -1 : 1 }
    guard a.isText else { return 0 }
    return batch.withRecord(at: Int(a.index)) { first in
      batch.withRecord(at: Int(b.index)) { second in
        guard case .text(let x) = first.rawID, case .text(let y) = second.rawID else { return 0 }
        return compare(x, y)
      }
    }
  }

  private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
    return a.count - b.count
  }
}
