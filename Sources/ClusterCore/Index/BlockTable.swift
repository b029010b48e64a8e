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
          let shift = (number - range.lowerBound) << PointIndex.blockBits
          for (offset, before) in range.enumerated() {
            pointers.pointer[number + offset] =
              old.pointers.pointer[before]?.numbered(from: shift)
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
  subscript(around ordinal: Int) -> UnsafePointer<Value>? {
    pointers.pointer[ordinal &>> PointIndex.blockBits]
  }
}
