/// Pointers to values by block of an index, subscripted by ordinal; nil for blocks without values.
/// The owner of the values keeps them alive.
struct BlockTable<Value: BitwiseCopyable>: Sendable {
  private let pointers: FixedArray<UnsafePointer<Value>?>

  /// Creates the table of blocks after an edit of `old`, or of new blocks only.
  ///
  /// - Parameters:
  ///   - made: the owners of the new blocks' values.
  ///   - values: returns an owner's values.
  init<Owner>(
    _ count: Int, _ made: EditedBlocks.Made<Owner>, _ values: (Owner) -> FixedArray<Value>?,
    of old: BlockTable?, after edit: EditedBlocks?
  ) {
    let pointers = WritableArray<UnsafePointer<Value>?>(count: count)
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
      pointers.pointer[number] = values(owner)?.pointer
        .numbered(from: number << PointIndex.blockBits)
    }
    self.pointers = pointers.fixed
  }

  /// The values of the block that contains an ordinal.
  @inline(__always)
  subscript(around ordinal: Int) -> UnsafePointer<Value>? {
    pointers.pointer[ordinal &>> PointIndex.blockBits]
  }
}
