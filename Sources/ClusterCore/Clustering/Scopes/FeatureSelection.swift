/// Some features of a collection, with an index of only those: in one piece, with ordinals without gaps, or block by
/// block, so that after a change only the changed blocks must be looked at again.
final class FeatureSelection: Sendable {
  /// The index of the selected features. By block, it has one for each of the collection with any.
  let points: PointIndex
  /// The ordinals in the collection of a selection in one piece, ascending; nil by block.
  private let ordinals: FixedArray<UInt32>?
  private let blocks: [SelectedBlock]
  /// The number of the collection's block by block of the selection, in ascending order.
  private let sources: [UInt32]
  private let offsets: BlockTable<UInt16>?
  /// The memory it takes, in bytes.
  let byteCount: Int

  /// No features, by block.
  static let none = FeatureSelection(PointIndex(nil, [], RecordArena()), [], [])

  /// Selects features of an index in one piece. O(n).
  init(_ ordinals: FixedArray<UInt32>, of index: PointIndex) {
    points = PointIndex(selecting: ordinals, of: index)
    (self.ordinals, blocks, sources, offsets) = (ordinals, [], [], nil)
    byteCount = points.byteCount + ordinals.byteCount
  }

  private init(_ points: PointIndex, _ blocks: [SelectedBlock], _ sources: [UInt32]) {
    (self.points, self.blocks, self.sources, ordinals) = (points, blocks, sources, nil)
    let all = EditedBlocks.Made(blocks.enumerated().map { ($0.offset, $0.element) })
    offsets = BlockTable(blocks.count, all, \.offsets, of: nil, after: nil)
    byteCount = points.byteCount + points.count * 2 + blocks.count * 256
  }

  /// Creates a selection by block from that of an earlier index. O(blocks) plus the calls of `make`.
  ///
  /// - Parameters:
  ///   - before: the selection of the earlier index.
  ///   - matches: the number that each block had in the earlier index; nil for a new block.
  ///   - make: returns the selection of a new block, given its number.
  convenience init(
    from before: FeatureSelection, _ matches: [Int?], _ records: RecordArena,
    _ make: (Int) -> SelectedBlock?
  ) {
    var pieces: [PointIndex.Piece] = []
    var blocks: [SelectedBlock] = []
    var sources: [UInt32] = []
    var next = 0
    for (number, match) in matches.enumerated() {
      if let match {
        while next < before.sources.count, before.sources[next] < match { next += 1 }
        guard next < before.sources.count, before.sources[next] == match else { continue }
        if case .kept(let range) = pieces.last, range.upperBound == next {
          pieces[pieces.count - 1] = .kept(range.lowerBound..<next + 1)
        } else {
          pieces.append(.kept(next..<next + 1))
        }
        blocks.append(before.blocks[next])
      } else {
        guard let made = make(number) else { continue }
        pieces.append(.made(made.points))
        blocks.append(made)
      }
      sources.append(UInt32(number))
    }
    self.init(PointIndex(before.points, pieces, records), blocks, sources)
  }

  /// Whether it is selected by block.
  var isByBlock: Bool { ordinals == nil }

  /// Returns the selected part of a block of the collection, or nil if nothing in it is selected.
  func block(_ source: Int) -> SelectedBlock? { number(of: source).map { blocks[$0] } }

  private func number(of source: Int) -> Int? { sources.sortedIndex(of: UInt32(source)) }

  @inline(__always)
  func collectionOrdinal(_ ordinal: Int) -> Int {
    if let ordinals { return Int(ordinals.pointer[ordinal]) }
    let source = Int(sources[ordinal &>> PointIndex.blockBits])
    guard let offsets = offsets?[around: ordinal] else { return ordinal }
    return source &<< PointIndex.blockBits | Int(offsets[ordinal])
  }

  /// Returns the ordinal in the selection for an ordinal in the collection, or nil if the feature
  /// isn't selected. O(log n).
  func ownOrdinal(_ ordinal: Int) -> Int? {
    if let ordinals { return ordinals.buffer.sortedIndex(of: UInt32(ordinal)) }
    guard let number = number(of: ordinal >> PointIndex.blockBits) else { return nil }
    let offset = UInt16(ordinal & (PointIndex.maximumBlockCount - 1))
    return blocks[number].offsets.buffer.sortedIndex(of: offset).map {
      number << PointIndex.blockBits + $0
    }
  }
}

/// A selection of a block's features.
final class SelectedBlock: Sendable {
  let points: PointBlock
  /// Their offsets in the block in ascending order.
  let offsets: FixedArray<UInt16>

  /// The offsets of a whole block of any size.
  private static let allOffsets: FixedArray<UInt16> = {
    let offsets = WritableArray<UInt16>(count: PointIndex.maximumBlockCount)
    for offset in 0..<offsets.count { offsets.pointer[offset] = UInt16(offset) }
    return offsets.fixed
  }()

  /// Creates the selection of all features of a block, which it shares.
  init(whole block: FeatureBlock) {
    points = block.points
    offsets = SelectedBlock.allOffsets.slice(0..<block.count)
  }

  /// Creates the selection of a block, or returns nil if no features are selected.
  init?(_ block: FeatureBlock, _ selected: [UInt16], _ records: RecordArena) {
    if selected.isEmpty { return nil }
    let positions = WritableArray<Position>(count: selected.count)
    let references = WritableArray<RecordReference>(count: selected.count)
    let offsets = WritableArray<UInt16>(count: selected.count)
    for (number, offset) in selected.enumerated() {
      positions.pointer[number] = block.points.positions.pointer[Int(offset)]
      references.pointer[number] = block.references.pointer[Int(offset)]
      offsets.pointer[number] = offset
    }
    self.offsets = offsets.fixed
    points = PointBlock(
      positions: positions.fixed, references: references.fixed, records: records)
  }
}

extension FeatureFilter {
  /// The features of a block that pass; nil if there are none. A block that passes as a whole is shared.
  ///
  /// - Parameter bound: the result of ``bind()``, which is looked up once for all blocks.
  func selected(fromBlock number: Int, _ bound: BoundFilter?) -> SelectedBlock? {
    let block = index.blocks[number]
    let coverage = shapes.isEmpty ? .inside : shapes.coverage(of: block.points)
    if coverage == .outside { return nil }
    if coverage == .inside && bound == nil { return SelectedBlock(whole: block) }
    var offsets: [UInt16] = []
    let firstOrdinal = number << PointIndex.blockBits
    func add(_ run: Range<Int>) {
      guard let bound else { return offsets += run.map { UInt16($0) } }
      bound.forEachPassing(in: firstOrdinal + run.lowerBound..<firstOrdinal + run.upperBound) {
        offsets.append(UInt16($0 - firstOrdinal))
      }
    }
    if coverage == .inside {
      add(0..<block.count)
    } else {
      PointIndex(nil, [.made(block.points)], index.records).forEachRun(in: shapes) { run in
        add(run)
        return true
      }
    }
    if offsets.count == block.count { return SelectedBlock(whole: block) }
    return SelectedBlock(block, offsets, index.records)
  }
}
