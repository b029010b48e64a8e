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
    pointers = made.table(
      count, of: old?.pointers, after: edit, moved: { $0?.numbered(from: $1) },
      { values($0)?.pointer.numbered(from: $1) })
  }

  /// The values of the block that contains an ordinal.
  @inline(__always)
  subscript(around ordinal: Int) -> UnsafePointer<Value>? {
    pointers.pointer[ordinal &>> PointIndex.blockBits]
  }
}
