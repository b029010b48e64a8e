extension FeatureIndex {
  /// Returns the number that each block had in an earlier index, given by the serials of its
  /// blocks, or nil for a new block.
  ///
  /// - Complexity: O(blocks).
  public func matches(_ serials: [UInt64]) -> [Int?] {
    if serials.isEmpty { return [Int?](repeating: nil, count: blocks.count) }
    var matches: [Int?] = []
    matches.reserveCapacity(blocks.count)
    var numbers: [UInt64: Int]?
    var next = 0
    for block in blocks {
      // Most blocks follow each other as before.
      if next < serials.count, serials[next] == block.serial {
        matches.append(next)
        next += 1
        continue
      }
      let known =
        numbers ?? Dictionary(uniqueKeysWithValues: serials.enumerated().map { ($1, $0) })
      numbers = known
      let match = known[block.serial]
      matches.append(match)
      if let match { next = match + 1 }
    }
    return matches
  }

  /// The serials of the blocks, which never change: numbers that tell them apart within the process.
  ///
  /// - Complexity: O(blocks).
  public var serials: [UInt64] { blocks.map(\.serial) }

  /// The ordinals of the features of a block.
  public func ordinals(ofBlock number: Int) -> Range<Int> {
    let first = number << PointIndex.blockBits
    return first..<first + blocks[number].count
  }
}
