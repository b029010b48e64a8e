/// The extents of a column's numbers in each block of an index, in one piece of memory, so that a look at each
/// block costs little.
struct ZoneTable: Sendable {
  /// The extent of a block's numbers.
  struct Zone: BitwiseCopyable {
    /// The least and the greatest number; infinite in the opposite direction if there is none.
    let least: Double
    let greatest: Double
    /// Whether all values are numbers.
    let isNumeric: Bool

    /// Whether there are no numbers.
    var isEmpty: Bool { least > greatest }
  }

  private let zones: FixedArray<Zone>

  /// Creates the table of blocks after an edit of `old`, or of new blocks only.
  ///
  /// - Parameter made: the chunks of the new blocks.
  init(
    _ count: Int, _ made: EditedBlocks.Made<ColumnChunk>, of old: ZoneTable?,
    after edit: EditedBlocks?
  ) {
    let zones = WritableArray<Zone>(count: count)
    if let old, let edit {
      edit.forEach(
        kept: { range, number in
          for (offset, before) in range.enumerated() {
            zones.pointer[number + offset] = old.zones.pointer[before]
          }
        },
        made: { _, _, _ in })
    }
    for (number, chunk) in made.all {
      zones.pointer[number] = Zone(
        least: chunk.extent.least, greatest: chunk.extent.greatest, isNumeric: chunk.isNumeric)
    }
    self.zones = zones.fixed
  }

  /// The extent of a block's numbers.
  @inline(__always)
  subscript(number: Int) -> Zone { zones.pointer[number] }
}
