/// A selection of a block's features.
final class SelectedBlock: Sendable {
  let points: PointBlock
  /// Their offsets in the block in ascending order.
  let offsets: FixedArray<UInt16>

  /// The offsets of a whole block of any size.
  private static let allOffsets: FixedArray<UInt16> = {
    let offsets = WritableArray<UInt16>(count: PointIndex.maximumBlockCount)
    for offset in 0..<offsets.count { offsets.pointer[offset] = UInt16(offset) }
    return offsets.fixed
  }()

  /// Creates the selection of all features of a block, which it shares.
  init(whole block: FeatureBlock) {
    points = block.points
    offsets = SelectedBlock.allOffsets.slice(0..<block.count)
  }

  /// Creates the selection of a block, or returns nil if no features are selected.
  init?(_ block: FeatureBlock, _ selected: [UInt16], _ records: RecordArena) {
    if selected.isEmpty { return nil }
    let positions = WritableArray<Position>(count: selected.count)
    let references = WritableArray<RecordReference>(count: selected.count)
    let offsets = WritableArray<UInt16>(count: selected.count)
    for (number, offset) in selected.enumerated() {
      positions.pointer[number] = block.points.positions.pointer[Int(offset)]
      references.pointer[number] = block.references.pointer[Int(offset)]
      offsets.pointer[number] = offset
    }
    self.offsets = offsets.fixed
    points = PointBlock(
      positions: positions.fixed, references: references.fixed, records: records)
  }
}
