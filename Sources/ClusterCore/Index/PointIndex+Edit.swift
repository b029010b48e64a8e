extension PointIndex {
  /// Creates the index that results from an edit of `old`. O(blocks), without reading kept blocks.
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
