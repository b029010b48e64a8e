/// The blocks of a changed index in terms of those of the old one.
struct EditedBlocks {
  enum Piece {
    /// Blocks of the old index, by number.
    case kept(Range<Int>)
    /// A new block with the old ordinal of each feature, or ``FeatureEntry/isNew``.
    case made(FeatureBlock, origins: [UInt32])
  }

  /// The pieces in index order.
  let pieces: [Piece]
  /// The number of blocks.
  let count: Int

  init(_ pieces: [Piece]) {
    self.pieces = pieces
    count = pieces.reduce(0) { if case .kept(let range) = $1 { $0 + range.count } else { $0 + 1 } }
  }

  /// Returns the numbers of the removed ones of `count` old blocks.
  func removed(of count: Int) -> [Int] {
    var removed: [Int] = []
    var next = 0
    for case .kept(let range) in pieces {
      removed += next..<range.lowerBound
      next = range.upperBound
    }
    return removed + (next..<count)
  }

  /// Calls `kept` with ranges of old blocks and `made` with new blocks, in index order. `number` is
  /// that of the first of them in the new index.
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
  /// Values of the new blocks, by number.
  struct Made<Value> {
    let all: [(number: Int, value: Value)]

    init(_ all: [(number: Int, value: Value)]) { self.all = all }

    /// Returns elements by block after an edit of those in `old`, or of new blocks only.
    ///
    /// - Parameters:
    ///   - moved: returns the element of a kept block, whose ordinals grow by so many.
    ///   - element: returns that of a new block, given its value and its first ordinal.
    func table<Element>(
      _ count: Int, of old: FixedArray<Element>?, after edit: EditedBlocks?,
      moved: (Element, Int) -> Element, _ element: (Value, Int) -> Element
    ) -> FixedArray<Element> {
      let table = WritableArray<Element>(count: count)
      if let old, let edit {
        edit.forEach(
          kept: { range, number in
            let shift = (number - range.lowerBound) << PointIndex.blockBits
            for (offset, before) in range.enumerated() {
              table.pointer[number + offset] = moved(old.pointer[before], shift)
            }
          },
          made: { _, _, _ in })
      }
      for (number, value) in all {
        table.pointer[number] = element(value, number << PointIndex.blockBits)
      }
      return table.fixed
    }
  }

  /// Returns the results of `make` for the new blocks.
  func made<Value>(
    _ make: (FeatureBlock, _ origins: [UInt32], _ number: Int) -> Value
  ) -> Made<Value> {
    var all: [(number: Int, value: Value)] = []
    forEach(kept: { _, _ in }, made: { all.append(($2, make($0, $1, $2))) })
    return Made(all)
  }

  /// Returns the values by block after the edit, given the old ones and those of new blocks.
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
