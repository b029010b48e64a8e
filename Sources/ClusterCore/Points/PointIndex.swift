/// Where features are: their positions in index order under a ``Quadtree``. All that
/// searching and clustering look at; of a whole collection, or of some of its features.
///
/// A collection's features lie in blocks that never change, so that the index of a changed collection
/// shares all but the changed ones with that of before; a small tree lies on top of the blocks' own.
/// The index of some features (``init(positions:references:records:)``) is one block of any size.
///
/// Features are addressed by their place, which grows in index order: the number of the block and the
/// place in it. Places have gaps between blocks; a *run* of places has none, so it lies in one block.
/// In the index of some features they are 0..<``count``.
public final class PointIndex: Sendable {
  /// The number of features.
  public let count: Int
  private let blocks: [PointBlock]
  /// The blocks' raw parts, then those of the tree on top, if there is one.
  private let views: FixedArray<BlockPointers>
  private let summaries: FixedArray<BlockSummary>
  private let top: Quadtree?
  /// Where the records lie, whose coordinates are the features'; keeps them alive.
  let records: RecordArena
  private let recordTable: FixedArray<UInt>

  /// The bits of a place that number the features of a block.
  static let blockBits = 10
  /// The most features of a block of a collection.
  static let maximumBlockCount = 1 << blockBits

  /// The index of some features: builds one tree over positions in Z-order. O(n).
  init(
    positions: FixedArray<Position>, references: FixedArray<RecordReference>, records: RecordArena
  ) {
    let block = PointBlock(positions: positions, references: references, records: records)
    count = block.count
    blocks = [block]
    views = FixedArray(uninitialized: 1)
    views.pointer[0] = BlockPointers(block, firstOrdinal: 0)
    summaries = FixedArray(uninitialized: 0)
    top = nil
    self.records = records
    recordTable = records.table
  }

  /// The index of blocks that follow each other in index order, none of them empty or larger than
  /// ``maximumBlockCount``. O(blocks).
  convenience init(_ blocks: [PointBlock], _ records: RecordArena) {
    var made = Blocks(count: blocks.count)
    for block in blocks { made.append(block) }
    self.init(made, records)
  }

  /// What an index is made of.
  enum Piece {
    /// Blocks of another index, by number.
    case kept(Range<Int>)
    case made(PointBlock)
  }

  /// The index of blocks of another one and of new ones, in index order.
  convenience init(_ old: PointIndex, _ pieces: [Piece], _ records: RecordArena) {
    var made = Blocks(
      count: pieces.reduce(0) {
        if case .kept(let range) = $1 { $0 + range.count } else { $0 + 1 }
      })
    for piece in pieces {
      switch piece {
      case .kept(let range): made.append(old, range)
      case .made(let block): made.append(block)
      }
    }
    self.init(made, records)
  }

  private init(_ made: Blocks, _ records: RecordArena) {
    self.records = records
    recordTable = records.table
    (blocks, views, summaries, count) = (made.blocks, made.views, made.summaries, made.count)
    let top = TopTreeBuilder.build(over: summaries.pointer, count: blocks.count)
    if !blocks.isEmpty {
      views.pointer[blocks.count] = BlockPointers(top: top, of: views.pointer[0])
    }
    self.top = top
  }

  /// Blocks on their way into an index.
  private struct Blocks {
    var blocks: [PointBlock] = []
    let views: FixedArray<BlockPointers>
    let summaries: FixedArray<BlockSummary>
    var count = 0

    init(count: Int) {
      blocks.reserveCapacity(count)
      views = FixedArray(uninitialized: count + 1)
      summaries = FixedArray(uninitialized: count)
    }

    mutating func append(_ block: PointBlock) {
      let number = blocks.count
      views.pointer[number] = BlockPointers(block, firstOrdinal: number << PointIndex.blockBits)
      summaries.pointer[number] = BlockSummary(block)
      count += block.count
      blocks.append(block)
    }

    mutating func append(_ other: PointIndex, _ range: Range<Int>) {
      let number = blocks.count
      let places = (number - range.lowerBound) << PointIndex.blockBits
      for (offset, before) in range.enumerated() {
        let view = other.views.pointer[before].moved(by: places)
        views.pointer[number + offset] = view
        count += view.count
      }
      (summaries.pointer + number).update(
        from: other.summaries.pointer + range.lowerBound, count: range.count)
      blocks += other.blocks[range]
    }
  }

  /// The index of some of another's points, given by their places there in ascending order. O(n).
  convenience init(selecting places: FixedArray<UInt32>, of other: PointIndex) {
    let count = places.count
    let positions = FixedArray<Position>(uninitialized: count)
    let references = FixedArray<RecordReference>(uninitialized: count)
    withExtendedLifetime(other) {
      let view = other.view
      for index in 0..<count {
        let place = Int(places.pointer[index])
        let block = view.block(of: place)
        positions.pointer[index] = block.positions[place]
        references.pointer[index] = block.references[place]
      }
    }
    self.init(positions: positions, references: references, records: other.records)
  }

  /// Whether a place of a collection is the first of a block.
  static func beginsBlock(_ place: Int) -> Bool { place & (maximumBlockCount - 1) == 0 }

  /// Whether places are 0..<``count``.
  var isDense: Bool { top == nil }

  /// The memory it takes, in bytes.
  public var byteCount: Int {
    blocks.reduce(views.byteCount + summaries.byteCount + (top?.byteCount ?? 0)) {
      $0 + $1.byteCount
    }
  }

  /// The raw parts; see ``IndexPointers``.
  var view: IndexPointers {
    IndexPointers(
      blocks: UnsafePointer(views.pointer), blockBits: top == nil ? 63 : PointIndex.blockBits,
      blockCount: blocks.count, count: count,
      records: RecordTable(bases: UnsafePointer(recordTable.pointer)))
  }

  /// The coordinate of the feature at a place.
  @inline(__always)
  public func coordinate(at place: Int) -> Coordinate {
    withExtendedLifetime(self) { view.coordinates[place] }
  }

  /// The record of the feature at a place, valid while this index lives.
  @inline(__always)
  func record(at place: Int) -> FeatureRecord {
    withExtendedLifetime(self) {
      view.records[view.block(of: place).references[place]]
    }
  }

  /// Where the record of the feature at a place is.
  @inline(__always)
  func reference(at place: Int) -> RecordReference {
    withExtendedLifetime(self) { view.block(of: place).references[place] }
  }

  /// The position of the feature at a place.
  @inline(__always)
  public func position(at place: Int) -> Position {
    withExtendedLifetime(self) { view.positions[place] }
  }

  /// Calls `body` with the runs of all places, in index order.
  public func forEachRun(_ body: (Range<Int>) -> Void) {
    for number in 0..<blocks.count where views.pointer[number].count > 0 {
      body(views.pointer[number].places)
    }
  }
}
