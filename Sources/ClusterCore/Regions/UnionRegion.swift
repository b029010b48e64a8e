/// The features in cells of several grids, and some more where there are many grids.
struct UnionRegion: IndexRegion {
  private let parts: [CellsRegion]
  /// More sizes than a client has a use for are not told apart.
  private static let manySizes = 16

  /// - Parameter ranges: one a grid.
  init(_ ranges: [GridRange]) {
    parts = ranges.count > UnionRegion.manySizes ? [] : ranges.map(CellsRegion.init)
  }

  func coverage(of node: Int, in pointers: IndexPointers) -> Coverage {
    if parts.isEmpty { return .inside }
    var union = Coverage.outside
    for part in parts {
      switch part.coverage(of: node, in: pointers) {
      case .inside: return .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ ordinal: Int, in pointers: IndexPointers) -> Bool {
    parts.isEmpty || parts.contains { $0.contains(ordinal, in: pointers) }
  }
}
