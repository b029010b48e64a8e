extension PointIndex {
  /// The places of all features at the position of one of them, ascending. O(log n) beside them.
  func ordinalsOfEqualPosition(as place: Int) -> [Int] {
    let position = position(at: place)
    // The usual feature is the only one at its position.
    if isAlone(place, at: position) { return [place] }
    var places: [Int] = []
    forEachRun(in: PositionRegion(position: position)) {
      places += $0
      return true
    }
    return places
  }

  /// Whether the features before and after one in its block are elsewhere.
  private func isAlone(_ place: Int, at position: Position) -> Bool {
    withExtendedLifetime(self) {
      let block = view.block(of: place)
      let others = block.places
      return place > others.lowerBound && place + 1 < others.upperBound
        && block.positions[place - 1] != position && block.positions[place + 1] != position
    }
  }
}

/// The features at one position.
struct PositionRegion: IndexRegion {
  let position: Position

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let box = view.nodes[node].box
    if box.minX > position.x || box.maxX < position.x || box.minY > position.y
      || box.maxY < position.y
    {
      return .outside
    }
    return box.minX == box.maxX && box.minY == box.maxY ? .inside : .partial
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool { view.positions[place] == position }
}
