extension PointIndex {
  /// Returns the ascending ordinals of all features at a feature's position. O(log n + result).
  func ordinalsOfEqualPosition(as ordinal: Int) -> [Int] {
    let position = position(at: ordinal)
    // Most features are alone at their position.
    if isAlone(ordinal, at: position) { return [ordinal] }
    var ordinals: [Int] = []
    forEachRun(in: PositionRegion(position: position)) {
      ordinals += $0
      return true
    }
    return ordinals
  }

  /// Returns whether the neighbours of a feature exist in its block and are at other positions.
  private func isAlone(_ ordinal: Int, at position: Position) -> Bool {
    withExtendedLifetime(self) {
      let block = pointers.block(of: ordinal)
      let others = block.ordinals
      return ordinal > others.lowerBound && ordinal + 1 < others.upperBound
        && block.positions[ordinal - 1] != position && block.positions[ordinal + 1] != position
    }
  }
}
