import CHints
import Threading

/// An immutable snapshot of a collection: its features in index order, by where they are
/// (``points``) and by id.
///
/// Features are addressed by their place, which grows in index order (along the Z-order curve of their
/// positions, then by id); see ``PointIndex`` for what places are. The features lie in blocks that
/// never change, and so do the records by id: a changed index (``applying(_:)``) shares all but the
/// changed blocks with that of before, and is made in a time that hardly depends on the collection's
/// size. Beside their records features cost 16 bytes each (position, reference, reference by id) and
/// their share of the nodes.
public final class FeatureIndex: Sendable {
  /// Where the features are.
  public let points: PointIndex
  /// Where the records lie; keeps them alive.
  public let records: RecordArena
  let blocks: [FeatureBlock]
  let directory: IDDirectory
  /// By block: when its first feature expires.
  let expiries: FixedArray<Int64>
  /// The most features of a block.
  let blockCapacity: Int
  /// When the first feature expires, in milliseconds since 1970; nil if none does.
  public let nextExpiry: Int64?
  private let knownBounds = Locked<GeoBounds?>(nil)

  /// The number of features.
  public var count: Int { points.count }

  /// The most features of an index: places have 32 bits.
  static let maximumCount = 1 << 30

  /// An index of nothing.
  public convenience init() { self.init(blockCapacity: PointIndex.maximumBlockCount) }

  /// An index of nothing whose blocks are to have at most some features, 4…``PointIndex/maximumBlockCount``.
  convenience init(blockCapacity: Int) {
    precondition((4...PointIndex.maximumBlockCount).contains(blockCapacity))
    self.init(
      records: RecordArena(), blocks: [], directory: IDDirectory([]), blockCapacity: blockCapacity)
  }

  /// The index of blocks that follow each other in index order. O(blocks).
  convenience init(
    records: RecordArena, blocks: [FeatureBlock], directory: IDDirectory, blockCapacity: Int
  ) {
    let points = PointIndex(blocks.map(\.points), records)
    let edit = EditedBlocks(blocks.map { .made($0, origins: []) })
    self.init(records, points, directory, blockCapacity, edit, of: nil)
  }

  /// The index that an edit makes of another. O(blocks), but for the new ones without a look at any of
  /// them.
  convenience init(
    _ old: FeatureIndex, after edit: EditedBlocks, records: RecordArena, directory: IDDirectory
  ) {
    self.init(
      records, PointIndex(old.points, after: edit, records), directory, old.blockCapacity, edit,
      of: old)
  }

  private init(
    _ records: RecordArena, _ points: PointIndex, _ directory: IDDirectory, _ blockCapacity: Int,
    _ edit: EditedBlocks, of old: FeatureIndex?
  ) {
    self.records = records
    self.points = points
    self.directory = directory
    self.blockCapacity = blockCapacity
    var blocks: [FeatureBlock] = []
    blocks.reserveCapacity(edit.count)
    let expiries = FixedArray<Int64>(uninitialized: edit.count)
    edit.forEach(
      kept: { range, number in
        guard let old else { return }
        blocks += old.blocks[range]
        (expiries.pointer + number).update(
          from: old.expiries.pointer + range.lowerBound, count: range.count)
      },
      made: { block, _, number in
        blocks.append(block)
        expiries.pointer[number] = block.nextExpiry
      })
    (self.blocks, self.expiries) = (blocks, expiries)
    let next = UnsafeBufferPointer(start: expiries.pointer, count: expiries.count).min()
    nextExpiry = next == FeatureEntry.never ? nil : next
  }

  /// Builds the index of entries that are sorted by id, without duplicates. O(n).
  convenience init(
    records: RecordArena, entriesByID entries: GrowingArray<FeatureEntry>, blockCapacity: Int
  ) {
    let count = entries.count
    precondition(count <= FeatureIndex.maximumCount)
    let keys = FixedArray<UInt64>(uninitialized: count)
    let ranks = FixedArray<UInt32>(uninitialized: count)
    for rank in 0..<count {
      keys.pointer[rank] = entries.pointer[rank].position.zOrder
      ranks.pointer[rank] = UInt32(rank)
    }
    // Stable, so that ids break ties.
    RadixSort.sort(
      keys: keys, values: ranks,
      scratch: LargeMemory(byteCount: RadixSort.scratchBytes(count: max(count, 1))))
    let ends = BlockCuts.ends(count: count, capacity: blockCapacity) { keys.pointer[$0] }
    let features = SortedFeatures(count: count)
    let ahead = 16
    for ordinal in 0..<count {
      // Entries come from all over the memory; ask for them in time.
      chints_prefetch(entries.pointer + Int(ranks.pointer[min(ordinal &+ ahead, count &- 1)]))
      features.set(ordinal, entries.pointer[Int(ranks.pointer[ordinal])])
    }
    let blocks = features.blocks(from: 0, ends[...], records)
    let directory = IDDirectory(count) { entries.pointer[$0].reference }
    self.init(records: records, blocks: blocks, directory: directory, blockCapacity: blockCapacity)
  }

  /// The memory the index takes beside the records, in bytes.
  public var byteCount: Int {
    points.byteCount + directory.byteCount
      + blocks.reduce(0) { $0 + $1.byteCount - $1.points.byteCount }
  }

  /// The record of the feature at a place, valid while this index lives.
  @inline(__always)
  public func record(at ordinal: Int) -> FeatureRecord {
    points.record(at: ordinal)
  }

  /// The coordinate of the feature at a place.
  @inline(__always)
  public func coordinate(at ordinal: Int) -> Coordinate { points.coordinate(at: ordinal) }

  /// The position of the feature at a place.
  @inline(__always)
  public func position(at ordinal: Int) -> Position { points.position(at: ordinal) }

  /// The place of the feature with an id, if there is one. O(log n).
  public func ordinal(of id: FeatureID) -> Int? {
    id.withRawID { directory.reference(of: $0, records) }.map(ordinal(of:))
  }

  /// The place of a feature by its record. O(log n).
  func ordinal(of reference: RecordReference) -> Int {
    let record = records[reference]
    let key = Position(record.coordinate).zOrder
    let block = block(holding: key, record.rawID)
    return block << PointIndex.blockBits + offset(notBefore: key, record.rawID, in: blocks[block])
  }

  /// The block in which a feature is or would be: the last that begins at or before it, else the first.
  func block(holding key: UInt64, _ id: FeatureRecord.RawID) -> Int {
    let next = (1..<max(1, blocks.count)).partitionPoint {
      order(of: 0, in: blocks[$0], to: key, id) <= 0
    }
    return next - 1
  }

  /// The first feature of a block that isn't before another.
  func offset(notBefore key: UInt64, _ id: FeatureRecord.RawID, in block: FeatureBlock) -> Int {
    (0..<block.count).partitionPoint { order(of: $0, in: block, to: key, id) < 0 }
  }

  /// How a feature of a block compares with another in index order: negative, zero or positive.
  private func order(
    of offset: Int, in block: FeatureBlock, to key: UInt64, _ id: FeatureRecord.RawID
  ) -> Int {
    let own = block.points.positions.pointer[offset].zOrder
    if own != key { return own < key ? -1 : 1 }
    return FeatureRecord.compare(records[block.references.pointer[offset]].rawID, id)
  }

  /// The bounds of all features, bit for bit; nil when there are none.
  public var bounds: GeoBounds? {
    knownBounds.withLock { known in
      known = known ?? points.exactBounds
      return known
    }
  }
}
