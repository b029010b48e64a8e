/// Some of the features of one block.
final class SelectedBlock: Sendable {
  let points: PointBlock
  /// Their places in the block, ascending.
  let offsets: FixedArray<UInt16>

  /// Of a block; nil without features.
  init?(_ block: FeatureBlock, _ selected: [UInt16], _ records: RecordArena) {
    if selected.isEmpty { return nil }
    let positions = FixedArray<Position>(uninitialized: selected.count)
    let references = FixedArray<RecordReference>(uninitialized: selected.count)
    offsets = FixedArray(uninitialized: selected.count)
    for (number, offset) in selected.enumerated() {
      positions.pointer[number] = block.points.positions.pointer[Int(offset)]
      references.pointer[number] = block.references.pointer[Int(offset)]
      offsets.pointer[number] = offset
    }
    points = PointBlock(positions: positions, references: references, records: records)
  }
}
