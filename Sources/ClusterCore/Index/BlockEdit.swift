/// Derives the blocks of a changed index from those of the old one.
struct BlockEdit {
  let old: FeatureIndex
  /// The records of the old index and the new ones.
  let records: RecordArena

  private var capacity: Int { old.blockCapacity }

  /// Blocks that are kept, or features to be divided into blocks.
  private enum Piece {
    case kept(Range<Int>)
    case entries([FeatureEntry])
  }

  /// Returns the blocks without the features with the ascending ordinals `removed` and with those
  /// added. O(blocks + k) for k features, whose blocks are copied.
  func applying(removed: [Int], added: [FeatureEntry]) -> EditedBlocks {
    let added = added.map { entry in
      let key = entry.position.zOrder
      return (block: old.block(holding: key, records[entry.reference].rawID), key: key, entry)
    }.sorted { a, b in
      a.key != b.key
        ? a.key < b.key
        : FeatureRecord.compareIDs(records[a.2.reference], records[b.2.reference]) < 0
    }
    var pieces: [Piece] = []
    var next = 0
    var (nextRemoved, nextAdded) = (0, 0)
    while nextRemoved < removed.count || nextAdded < added.count {
      let number = min(
        nextRemoved < removed.count ? removed[nextRemoved] >> PointIndex.blockBits : .max,
        nextAdded < added.count ? added[nextAdded].block : .max)
      if next < number { pieces.append(.kept(next..<number)) }
      next = number + 1
      let ownRemoved = removed[nextRemoved...].prefix { $0 >> PointIndex.blockBits == number }
      let ownAdded = added[nextAdded...].prefix { $0.block == number }
      (nextRemoved, nextAdded) = (ownRemoved.endIndex, ownAdded.endIndex)
      pieces.append(.entries(merged(number, ownRemoved, ownAdded.map(\.2))))
    }
    if next < old.blocks.count { pieces.append(.kept(next..<old.blocks.count)) }
    return blocks(of: joined(pieces))
  }

  /// Returns the features of a block without those removed and with those added, in index order.
  private func merged(
    _ number: Int, _ removed: ArraySlice<Int>, _ added: [FeatureEntry]
  ) -> [FeatureEntry] {
    guard number < old.blocks.count else { return added }
    let block = old.blocks[number]
    let firstOrdinal = number << PointIndex.blockBits
    var result: [FeatureEntry] = []
    result.reserveCapacity(block.count + added.count)
    var removed = removed
    var offset = 0
    func copy(to end: Int) {
      for offset in offset..<end {
        if removed.first == firstOrdinal + offset {
          removed.removeFirst()
        } else {
          result.append(FeatureEntry(offset, of: block, origin: firstOrdinal + offset))
        }
      }
      offset = end
    }
    for entry in added {
      let id = records[entry.reference].rawID
      copy(to: old.offset(notBefore: entry.position.zOrder, id, in: block))
      result.append(entry)
    }
    copy(to: block.count)
    return result
  }

  /// Returns the pieces after joining those too small for a block with neighbours.
  private func joined(_ pieces: [Piece]) -> [Piece] {
    var result: [Piece] = []
    // Features that are still to be joined.
    var few: [FeatureEntry] = []
    func entries(_ number: Int) -> [FeatureEntry] { merged(number, [], []) }
    func isFew(_ entries: [FeatureEntry]) -> Bool { entries.count < capacity / 4 }
    func fits(_ count: Int) -> Bool { few.count + count <= capacity * 3 / 4 }
    func settle() {
      if !few.isEmpty { result.append(.entries(few)) }
      few = []
    }
    for piece in pieces {
      switch piece {
      case .entries(let own):
        if !few.isEmpty && !fits(own.count) { settle() }
        few += own
        if !isFew(few) { settle() }
      case .kept(var range):
        if !few.isEmpty, fits(old.blocks[range.lowerBound].count) {
          few += entries(range.lowerBound)
          range = range.dropFirst()
        }
        if !few.isEmpty, case .kept(var before) = result.last,
          fits(old.blocks[before.upperBound - 1].count)
        {
          few = entries(before.upperBound - 1) + few
          before = before.dropLast()
          result.removeLast()
          if !before.isEmpty { result.append(.kept(before)) }
        }
        settle()
        if !range.isEmpty { result.append(.kept(range)) }
      }
    }
    settle()
    return result
  }

  private func blocks(of pieces: [Piece]) -> EditedBlocks {
    let blocks = pieces.flatMap { piece -> [EditedBlocks.Piece] in
      switch piece {
      case .kept(let range): return [.kept(range)]
      case .entries(let entries):
        let ends = BlockCuts.ends(count: entries.count, capacity: capacity) {
          entries[$0].position
        }
        return zip([0] + ends, ends).map { start, end in
          entries[start..<end].withUnsafeBufferPointer {
            .made(FeatureBlock($0, records), origins: $0.map(\.origin))
          }
        }
      }
    }
    return EditedBlocks(blocks)
  }
}
