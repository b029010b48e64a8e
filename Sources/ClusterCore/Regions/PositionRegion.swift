extension PointIndex {
  /// The places of all features at the position of one of them, ascending. O(log n) beside them.
  func ordinalsOfEqualPosition(as ordinal: Int) -> [Int] {
    let position = position(at: ordinal)
    // The usual feature is the only one at its position.
    if isAlone(ordinal, at: position) { return [ordinal] }
    var ordinals: [Int] = []
    forEachRun(in: PositionRegion(position: position)) {
      ordinals += $0
      return true
    }
    return ordinals
  }

  /// Whether the features before and after one in its block are elsewhere.
  private func isAlone(_ ordinal: Int, at position: Position) -> Bool {
    withExtendedLifetime(self) {
      let block = pointers.block(of: ordinal)
      let others = block.ordinals
      return ordinal > others.lowerBound && ordinal + 1 < others.upperBound
        && block.positions[ordinal - 1] != position && block.positions[ordinal + 1] != position
    }
  }
}

/// The features at one position.
struct PositionRegion: IndexRegion {
  let position: Position

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    let box = pointers.nodes[node].box
    if box.minX > position.x || box.maxX < position.x || box.minY > position.y
      || box.maxY < position.y
    {
      return .outside
    }
    return box.minX == box.maxX && box.minY == box.maxY ? .inside : .partial
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    pointers.positions[ordinal] == position
  }
}
