/// A set of features that is defined by their location in the index.
protocol IndexRegion: Sendable {
  /// Returns how much of a node is in the region. `.partial` is always a correct answer.
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage
  /// Returns exactly whether the feature with an ordinal is in the region.
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool
}
