/// A set of features that is given by where they are.
protocol IndexRegion: Sendable {
  /// How much of a node lies inside. `.partial` is always a correct answer.
  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage
  /// Whether the feature at a place lies inside: exact.
  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool
}
