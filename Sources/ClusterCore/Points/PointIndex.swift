/// The positions of a collection's features, or of some of them, in index order under a
/// ``Quadtree``. Searching and clustering need nothing else.
///
/// A collection's features are in immutable blocks, so the index of a changed collection shares the
/// unchanged ones with the index before. A small tree on top leads to the trees of the blocks. An
/// index of some features (``init(positions:references:records:)``) is a single block of any size.
///
/// Features are addressed by their ordinal, which grows in index order and consists of the number
/// of the block and the offset in it. Ordinals have gaps between blocks. A *run* of ordinals has
/// none and lies in one block. In an index of some features the ordinals are 0..<``count``.
public final class PointIndex: Sendable {
  /// The number of features.
  public let count: Int
  private let blocks: [PointBlock]
  /// Pointers into the blocks, then into the tree on top if there is one.
  private let blockPointers: FixedArray<BlockPointers>
  private let summaries: FixedArray<BlockSummary>
  private let top: Quadtree?
  /// The records, which hold the coordinates. Keeps their memory alive.
  let records: RecordArena
  private let recordTable: FixedArray<UInt>

  /// The number of low bits of an ordinal that hold the offset in the block.
  static let blockBits = 10
  /// The maximum number of features in a block of a collection.
  static let maximumBlockCount = 1 << blockBits

  /// Creates an index of some features by building one tree over positions in Z-order. O(n).
  init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>, records: RecordArena
  ) {
    let block = PointBlock(positions: positions, references: references, records: records)
    count = block.count
    blocks = [block]
    let blockPointers = WritableArray<BlockPointers>(count: 1)
    blockPointers.pointer[0] = BlockPointers(block, firstOrdinal: 0)
    self.blockPointers = blockPointers.fixed
    summaries = WritableArray(count: 0).fixed
    top = nil
    self.records = records
    recordTable = records.table
  }

  /// A part that a new index is assembled from.
  enum Piece {
    /// Blocks of the old index, by number.
    case kept(Range<Int>)
    /// A new block, not empty or larger than ``maximumBlockCount``.
    case made(PointBlock)
  }

  /// Creates an index of blocks of `old` and new blocks, in index order. O(blocks)
  init(_ old: PointIndex?, _ pieces: [Piece], _ records: RecordArena) {
    let blockCount = pieces.reduce(0) {
      if case .kept(let range) = $1 { $0 + range.count } else { $0 + 1 }
    }
    var blocks: [PointBlock] = []
    blocks.reserveCapacity(blockCount)
    let blockPointers = WritableArray<BlockPointers>(count: blockCount + 1)
    let summaries = WritableArray<BlockSummary>(count: blockCount)
    var count = 0
    for piece in pieces {
      let number = blocks.count
      switch piece {
      case .made(let block):
        blockPointers.pointer[number] = BlockPointers(
          block, firstOrdinal: number << PointIndex.blockBits)
        summaries.pointer[number] = BlockSummary(block)
        count += block.count
        blocks.append(block)
      case .kept(let range):
        guard let old else { preconditionFailure("there are no blocks to keep") }
        let shift = (number - range.lowerBound) << PointIndex.blockBits
        for (offset, before) in range.enumerated() {
          let moved = old.blockPointers.pointer[before].moved(by: shift)
          blockPointers.pointer[number + offset] = moved
          count += moved.count
        }
        (summaries.pointer + number).update(
          from: old.summaries.pointer + range.lowerBound, count: range.count)
        blocks += old.blocks[range]
      }
    }
    let top = TopTreeBuilder.build(over: summaries.pointer, count: blockCount)
    if blockCount > 0 {
      blockPointers.pointer[blockCount] = BlockPointers(top: top, of: blockPointers.pointer[0])
    }
    (self.count, self.blocks, self.blockPointers) = (count, blocks, blockPointers.fixed)
    (self.summaries, self.top, self.records) = (summaries.fixed, top, records)
    recordTable = records.table
  }

  /// Creates an index of some features of `other` from their ascending ordinals. O(n).
  convenience init(selecting ordinals: FixedArray<UInt32>, of other: PointIndex) {
    let count = ordinals.count
    let positions = WritableArray<Position>(count: count)
    let references = WritableArray<RecordReference>(count: count)
    withExtendedLifetime(other) {
      let pointers = other.pointers
      for index in 0..<count {
        let ordinal = Int(ordinals.pointer[index])
        let block = pointers.block(of: ordinal)
        positions.pointer[index] = block.positions[ordinal]
        references.pointer[index] = block.references[ordinal]
      }
    }
    self.init(positions: positions.fixed, references: references.fixed, records: other.records)
  }

  /// Returns whether an ordinal of a collection is the first of a block.
  static func beginsBlock(_ ordinal: Int) -> Bool { ordinal & (maximumBlockCount - 1) == 0 }

  /// Whether ordinals are 0..<``count``.
  var isDense: Bool { top == nil }

  /// The memory it takes, in bytes.
  ///
  /// - Complexity: O(blocks).
  public var byteCount: Int {
    blocks.reduce(blockPointers.byteCount + summaries.byteCount + (top?.byteCount ?? 0)) {
      $0 + $1.byteCount
    }
  }

  /// Raw pointers for hot loops.
  var pointers: IndexPointers {
    IndexPointers(
      blocks: blockPointers.pointer, blockBits: isDense ? 63 : PointIndex.blockBits,
      blockCount: blocks.count, count: count, records: RecordTable(bases: recordTable.pointer))
  }

  /// Returns the coordinate of the feature with an ordinal.
  @inline(__always)
  public func coordinate(at ordinal: Int) -> Coordinate {
    withExtendedLifetime(self) { pointers.coordinate(ordinal) }
  }

  /// Returns the record of the feature with an ordinal, valid while this index lives.
  @inline(__always)
  func record(at ordinal: Int) -> FeatureRecord {
    withExtendedLifetime(self) {
      pointers.records[pointers.block(of: ordinal).references[ordinal]]
    }
  }

  /// Returns the reference to the record of the feature with an ordinal.
  @inline(__always)
  func reference(at ordinal: Int) -> RecordReference {
    withExtendedLifetime(self) { pointers.block(of: ordinal).references[ordinal] }
  }

  /// Returns the position of the feature with an ordinal.
  @inline(__always)
  public func position(at ordinal: Int) -> Position {
    withExtendedLifetime(self) { pointers.position(ordinal) }
  }

  /// Calls `body` with the runs of all ordinals in index order.
  ///
  /// - Complexity: O(blocks).
  public func forEachRun(_ body: (Range<Int>) -> Void) {
    for number in 0..<blocks.count where blockPointers.pointer[number].count > 0 {
      body(blockPointers.pointer[number].ordinals)
    }
  }
}
