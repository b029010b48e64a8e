/// The blocks of a changed index in terms of those before.
struct EditedBlocks {
  enum Piece {
    /// Blocks of the index before, by number.
    case kept(Range<Int>)
    /// A block that was made, and by feature the place before, `FeatureEntry.isNew` of a new one.
    case made(FeatureBlock, origins: [UInt32])
  }

  /// In index order.
  let pieces: [Piece]
  /// The number of blocks.
  let count: Int

  init(_ pieces: [Piece]) {
    self.pieces = pieces
    count = pieces.reduce(0) { if case .kept(let range) = $1 { $0 + range.count } else { $0 + 1 } }
  }

  /// The numbers of the blocks before that are no more.
  func gone(of count: Int) -> [Int] {
    var gone: [Int] = []
    var next = 0
    for case .kept(let range) in pieces {
      gone += next..<range.lowerBound
      next = range.upperBound
    }
    return gone + (next..<count)
  }

  /// Calls `kept` with ranges of blocks before and the number of the first among those after, `made`
  /// with new ones.
  func forEach(
    kept: (Range<Int>, _ number: Int) -> Void,
    made: (FeatureBlock, _ origins: [UInt32], _ number: Int) -> Void
  ) {
    var number = 0
    for piece in pieces {
      switch piece {
      case .kept(let range):
        kept(range, number)
        number += range.count
      case .made(let block, let origins):
        made(block, origins, number)
        number += 1
      }
    }
  }
}

extension EditedBlocks {
  /// Something of the new blocks, by their numbers.
  struct Made<Value> {
    let all: [(number: Int, value: Value)]

    init(_ all: [(number: Int, value: Value)]) { self.all = all }
  }

  /// What `make` makes of the new blocks.
  func made<Value>(
    _ make: (FeatureBlock, _ origins: [UInt32], _ number: Int) -> Value
  ) -> Made<Value> {
    var all: [(number: Int, value: Value)] = []
    forEach(kept: { _, _ in }, made: { all.append(($2, make($0, $1, $2))) })
    return Made(all)
  }

  /// Values by block after the edit.
  func applied<Value>(to old: [Value], _ made: Made<Value>) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    var next = 0
    forEach(
      kept: { range, _ in values += old[range] },
      made: { _, _, _ in
        values.append(made.all[next].value)
        next += 1
      })
    return values
  }
}
