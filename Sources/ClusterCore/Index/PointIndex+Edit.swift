extension PointIndex {
  /// The index of the blocks of another one after an edit. O(blocks), but for the new ones without a
  /// look at any of them.
  convenience init(_ old: PointIndex, after edit: EditedBlocks, _ records: RecordArena) {
    let pieces = edit.pieces.map { piece -> Piece in
      switch piece {
      case .kept(let range): .kept(range)
      case .made(let block, _): .made(block.points)
      }
    }
    self.init(old, pieces, records)
  }
}
