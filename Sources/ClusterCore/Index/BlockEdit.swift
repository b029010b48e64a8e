/// Derives the blocks of a changed index from those of the old one.
struct BlockEdit {
  private let old: FeatureIndex
  private let records: RecordArena
  private let capacity: Int

  /// - Parameter records: the records of the old index and the new ones.
  init(_ old: FeatureIndex, _ records: RecordArena) {
    self.old = old
    self.records = records
    capacity = old.blockCapacity
  }

  /// Blocks that are kept, or features to be divided into blocks.
  private enum Piece {
    case kept(Range<Int>)
    case entries([FeatureEntry])
  }

  /// Returns the blocks after removing and adding features. O(blocks + k) for k features, whose
  /// blocks are copied.
  ///
  /// - Parameter removed: the ordinals of removed features in ascending order.
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

  /// Returns the features of a block without the removed ordinals and with the added features,
  /// which are in index order.
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
    var blocks: [EditedBlocks.Piece] = []
    for piece in pieces {
      switch piece {
      case .kept(let range): blocks.append(.kept(range))
      case .entries(let entries):
        let ends = BlockCuts.ends(count: entries.count, capacity: capacity) {
          entries[$0].position.zOrder
        }
        var start = 0
        for end in ends {
          entries.withUnsafeBufferPointer { all in
            let own = UnsafeBufferPointer(rebasing: all[start..<end])
            blocks.append(.made(FeatureBlock(own, records), origins: own.map(\.origin)))
          }
          start = end
        }
      }
    }
    return EditedBlocks(blocks)
  }
}
