/// Some of the features of a collection, block by block, so that of a changed collection only the changed
/// blocks need be looked at again.
final class BlockSelection: Sendable {
  /// Where they are. Their blocks are those of the collection that have any.
  let points: PointIndex
  /// By block of the selection.
  private let blocks: [SelectedBlock]
  /// By block of the selection the collection's, ascending.
  private let sources: [UInt32]
  private let offsets: BlockTable<UInt16>
  /// The memory it takes, in bytes.
  let byteCount: Int

  /// Nothing of a collection.
  init() {
    (points, blocks, sources, byteCount) = (PointIndex([], RecordArena()), [], [], 0)
    offsets = BlockTable(0, EditedBlocks.Made<SelectedBlock>([]), \.offsets, of: nil, after: nil)
  }

  /// What is selected of an index. O(blocks), but for the new ones without a look at any of them.
  ///
  /// - Parameters:
  ///   - before: what was selected of another index.
  ///   - matches: by block of the index the one that it was there; nil of a new one.
  ///   - make: selects of a new block, by number.
  init(
    from before: BlockSelection, _ matches: [Int?], _ records: RecordArena,
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
    (self.blocks, self.sources) = (blocks, sources)
    points = PointIndex(before.points, pieces, records)
    let all = EditedBlocks.Made(blocks.enumerated().map { ($0.offset, $0.element) })
    offsets = BlockTable(blocks.count, all, \.offsets, of: nil, after: nil)
    byteCount = points.byteCount + points.count * 2 + blocks.count * 256
  }

  /// The block of the selection that a block of the collection is; nil where that has none.
  func block(_ source: Int) -> SelectedBlock? { number(of: source).map { blocks[$0] } }

  private func number(of source: Int) -> Int? {
    sources.sortedIndex(of: UInt32(source))
  }

  /// The place in the collection of a place in the selection.
  @inline(__always)
  func collectionOrdinal(_ ordinal: Int) -> Int {
    let source = Int(sources[ordinal &>> PointIndex.blockBits])
    guard let offsets = offsets[around: ordinal] else { return ordinal }
    return source &<< PointIndex.blockBits | Int(offsets[ordinal])
  }

  /// The place in the selection of a place in the collection; nil where the feature isn't part of it.
  /// O(log n).
  func ownOrdinal(_ ordinal: Int) -> Int? {
    guard let number = number(of: ordinal >> PointIndex.blockBits) else { return nil }
    let offset = UInt16(ordinal & (PointIndex.maximumBlockCount - 1))
    return blocks[number].offsets.buffer.sortedIndex(of: offset).map {
      number << PointIndex.blockBits + $0
    }
  }
}

extension FeatureIndex {
  /// By block the block of another index that it was, given by serial; nil of a new one.
  func matches(_ serials: [UInt64]) -> [Int?] {
    if serials.isEmpty { return [Int?](repeating: nil, count: blocks.count) }
    var matches: [Int?] = []
    matches.reserveCapacity(blocks.count)
    var numbers: [UInt64: Int]?
    var next = 0
    for block in blocks {
      // Mostly they follow each other as before.
      if next < serials.count, serials[next] == block.serial {
        matches.append(next)
        next += 1
        continue
      }
      if next + 1 < serials.count, serials[next + 1] == block.serial {
        matches.append(next + 1)
        next += 2
        continue
      }
      if numbers == nil {
        numbers = Dictionary(uniqueKeysWithValues: serials.enumerated().map { ($1, $0) })
      }
      let match = numbers?[block.serial]
      matches.append(match)
      if let match { next = match + 1 }
    }
    return matches
  }

  /// The serials of its blocks.
  var serials: [UInt64] { blocks.map(\.serial) }
}
