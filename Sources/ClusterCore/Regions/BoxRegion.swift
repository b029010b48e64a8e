/// A region that tells from the box of a node's points how much of the node is in it.
protocol BoxRegion: IndexRegion {
  /// Returns how much of a box is in the region. `.partial` is always a correct answer.
  func coverage(of box: PositionBox) -> Coverage
  /// Returns exactly whether a coordinate is in the region.
  func contains(_ coordinate: Coordinate) -> Bool
}

extension BoxRegion {
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    coverage(of: pointers.nodes[node].box)
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    switch coverage(of: PositionBox(pointers.positions[ordinal])) {
    case .inside: true
    case .outside: false
    case .partial: contains(pointers.coordinates[ordinal])
    }
  }
}
