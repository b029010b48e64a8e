import CHints
import Threading

/// An immutable index of a collection's features by position (``points``) and by id.
///
/// Features are addressed by ordinals (see ``PointIndex``), which grow in index order: along the
/// Z-order curve of the positions, then by id. The features, and their references in id order, are
/// in immutable blocks. A changed index (``applying(_:)``) shares the unchanged blocks with the old
/// one, so making it takes a time that hardly depends on the collection's size. In addition to its
/// record a feature takes 16 bytes (position, reference, reference by id) and its share of the
/// nodes.
public final class FeatureIndex: Sendable {
  /// The positions of the features.
  public let points: PointIndex
  /// The records of the features. Keeps their memory alive.
  public let records: RecordArena
  let blocks: [FeatureBlock]
  let directory: IDDirectory
  /// The earliest expiry by block.
  let expiries: FixedArray<Int64>
  /// The maximum number of features in a block.
  let blockCapacity: Int
  /// The earliest expiry in milliseconds since 1970, or nil if no feature expires.
  public let nextExpiry: Int64?
  private let knownBounds = Locked<GeoBounds?>(nil)
  private let knownExtent = Locked<GeoBounds?>(nil)
  /// The number of features whose ids are texts, or written as such; see ``idForms``.
  let knownTextIDs = Locked<Int?>(nil)

  /// The number of features.
  public var count: Int { points.count }

  /// The maximum number of features, limited by the 32 bits of ordinals.
  static let maximumCount = 1 << 30

  /// Creates an empty index.
  public convenience init() { self.init(blockCapacity: PointIndex.maximumBlockCount) }

  /// Creates an empty index with blocks of at most `blockCapacity` features,
  /// 4…``PointIndex/maximumBlockCount``.
  convenience init(blockCapacity: Int) {
    precondition((4...PointIndex.maximumBlockCount).contains(blockCapacity))
    self.init(
      records: RecordArena(), blocks: [], directory: IDDirectory([]), blockCapacity: blockCapacity)
  }

  /// Creates the index of blocks in index order. O(blocks).
  convenience init(
    records: RecordArena, blocks: [FeatureBlock], directory: IDDirectory, blockCapacity: Int
  ) {
    let edit = EditedBlocks(blocks.map { .made($0, origins: []) })
    self.init(nil, after: edit, records, directory, blockCapacity: blockCapacity)
  }

  /// Creates the index that results from an edit of `old`. O(blocks), without reading kept blocks.
  init(
    _ old: FeatureIndex?, after edit: EditedBlocks, _ records: RecordArena,
    _ directory: IDDirectory, blockCapacity: Int
  ) {
    self.records = records
    points = PointIndex(
      old?.points,
      edit.pieces.map { piece in
        switch piece {
        case .kept(let range): .kept(range)
        case .made(let block, _): .made(block.points)
        }
      }, records)
    self.directory = directory
    self.blockCapacity = blockCapacity
    var blocks: [FeatureBlock] = []
    blocks.reserveCapacity(edit.count)
    let expiries = WritableArray<Int64>(count: edit.count)
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
    (self.blocks, self.expiries) = (blocks, expiries.fixed)
    let next = self.expiries.buffer.min()
    nextExpiry = next == FeatureEntry.never ? nil : next
  }

  /// Builds the index of entries that are sorted by id and have no duplicates. O(n).
  convenience init(
    records: RecordArena, entriesByID entries: GrowingArray<FeatureEntry>, blockCapacity: Int
  ) {
    let count = entries.count
    precondition(count <= FeatureIndex.maximumCount)
    let keys = WritableArray<UInt64>(count: count)
    let ranks = WritableArray<UInt32>(count: count)
    for rank in 0..<count {
      keys.pointer[rank] = entries.pointer[rank].position.zOrder
      ranks.pointer[rank] = UInt32(rank)
    }
    // The sort is stable, so ids break ties.
    RadixSort.sort(keys: keys.pointer, values: ranks.pointer, count: count)
    let features = SortedFeatures(count: count)
    let ahead = 16
    for index in 0..<count {
      // The entries are scattered in memory.
      chints_prefetch(entries.pointer + Int(ranks.pointer[min(index &+ ahead, count &- 1)]))
      features.set(index, entries.pointer[Int(ranks.pointer[index])])
    }
    let ends = BlockCuts.ends(count: count, capacity: blockCapacity) {
      features.positions.pointer[$0]
    }
    let blocks = features.blocks(from: 0, ends[...], records)
    let directory = IDDirectory(count) { entries.pointer[$0].reference }
    self.init(records: records, blocks: blocks, directory: directory, blockCapacity: blockCapacity)
  }

  /// The memory that the index takes without the records, in bytes.
  ///
  /// - Complexity: O(blocks).
  public var byteCount: Int {
    points.byteCount + directory.byteCount
      + blocks.reduce(0) { $0 + $1.byteCount - $1.points.byteCount }
  }

  /// Returns the record of the feature with an ordinal, valid while this index lives.
  @inline(__always)
  public func record(at ordinal: Int) -> FeatureRecord { points.record(at: ordinal) }

  /// Returns the coordinate of the feature with an ordinal.
  @inline(__always)
  public func coordinate(at ordinal: Int) -> Coordinate { points.coordinate(at: ordinal) }

  /// Returns the position of the feature with an ordinal.
  @inline(__always)
  public func position(at ordinal: Int) -> Position { points.position(at: ordinal) }

  /// Returns the ordinal of the feature with an id, if there is one.
  ///
  /// - Complexity: O(log n).
  public func ordinal(of id: FeatureID) -> Int? {
    id.withRawID { directory.find($0, records).reference }.map(ordinal(of:))
  }

  /// Returns the ordinal of the feature with a record. O(log n).
  func ordinal(of reference: RecordReference) -> Int {
    let record = records[reference]
    let key = Position(record.coordinate).zOrder
    let block = block(holding: key, record.rawID)
    return block << PointIndex.blockBits + offset(notBefore: key, record.rawID, in: blocks[block])
  }

  /// Returns the block that contains a feature or would contain it: the last one that begins at or
  /// before it, otherwise the first.
  func block(holding key: UInt64, _ id: FeatureRecord.RawID) -> Int {
    let next = (1..<max(1, blocks.count)).partitionPoint {
      order(of: 0, in: blocks[$0], to: key, id) <= 0
    }
    return next - 1
  }

  /// Returns the offset of the first feature of a block that doesn't precede a key and id.
  func offset(notBefore key: UInt64, _ id: FeatureRecord.RawID, in block: FeatureBlock) -> Int {
    (0..<block.count).partitionPoint { order(of: $0, in: block, to: key, id) < 0 }
  }

  /// Compares a feature of a block with a key and id like ``FeatureRecord/compare(_:_:)``.
  private func order(
    of offset: Int, in block: FeatureBlock, to key: UInt64, _ id: FeatureRecord.RawID
  ) -> Int {
    let own = block.points.positions.pointer[offset].zOrder
    if own != key { return own < key ? -1 : 1 }
    return FeatureRecord.compare(records[block.references.pointer[offset]].rawID, id)
  }

  /// Returns the ordinals of `count` features spread over the blocks, for estimates; none if the index is
  /// empty. Few blocks may give duplicates. Each is found when it is asked for, in O(1).
  public func sampledOrdinals(_ count: Int) -> LazyMapSequence<Range<Int>, Int> {
    (0..<(blocks.isEmpty ? 0 : count)).lazy.map { [blocks] number in
      let block = number * blocks.count / count
      return block << PointIndex.blockBits + number % blocks[block].count
    }
  }

  /// The exact bounds of all features, or nil if there are none.
  ///
  /// - Complexity: O(nodes at the edges of the box) the first time.
  public var bounds: GeoBounds? {
    knownBounds.withLock { known in
      known = known ?? points.exactBounds
      return known
    }
  }

  /// The exact bounds of all features on the shortest span of longitudes, whose west is above its east where it crosses
  /// 180°, or nil if there are none. See ``PointIndex/extent(from:)``.
  ///
  /// - Complexity: O(n) at worst the first time.
  public var extent: GeoBounds? {
    if let known = knownExtent.withLock({ $0 }) { return known }
    // The nodes between which a gap may be are looked at in up to 1.5 ms, without a pause.
    if count > FeatureIndex.quickExtent, points.isWide, Cancellation.stopIfLimited() {
      return bounds
    }
    // Without the lock, so that no thread waits for another. All find the same.
    let found = bounds.map { points.extent(from: $0) }
    knownExtent.withLock { $0 = found }
    return found
  }

  /// The most features of which the extent is found in a tenth of a millisecond.
  private static let quickExtent = 20_000
}
