/// By block of an index: where values are found by place; nil for blocks that have none. The owner of the
/// values keeps them alive.
struct BlockTable<Value: BitwiseCopyable>: Sendable {
  private let pointers: FixedArray<UnsafePointer<Value>?>

  /// The table of the blocks that an edit made of others, or of new ones only.
  ///
  /// - Parameters:
  ///   - count: the number of blocks.
  ///   - made: the new ones' owners, and `values` theirs.
  ///   - old: the table of the blocks before.
  init<Owner>(
    _ count: Int, _ made: EditedBlocks.Made<Owner>, _ values: (Owner) -> FixedArray<Value>?,
    of old: BlockTable?, after edit: EditedBlocks?
  ) {
    let pointers = FixedArray<UnsafePointer<Value>?>(uninitialized: count)
    if let old, let edit {
      edit.forEach(
        kept: { range, number in
          let places = (number - range.lowerBound) << PointIndex.blockBits
          for (offset, before) in range.enumerated() {
            pointers.pointer[number + offset] =
              old.pointers.pointer[before]?.numbered(from: places)
          }
        },
        made: { _, _, _ in })
    }
    for (number, owner) in made.all {
      pointers.pointer[number] = values(owner)?.startingAt(number << PointIndex.blockBits)
    }
    self.pointers = pointers
  }

  /// The values of the block that a place is in.
  @inline(__always)
  subscript(around place: Int) -> UnsafePointer<Value>? {
    pointers.pointer[place &>> PointIndex.blockBits]
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
