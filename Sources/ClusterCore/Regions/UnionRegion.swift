/// A region that contains at least the features in cells of several grids.
struct UnionRegion: IndexRegion {
  private let parts: [CellsRegion]
  /// With more grids than clients have a use for, the region contains everything.
  private static let manySizes = 16

  /// - Parameter ranges: the cells of each grid.
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
