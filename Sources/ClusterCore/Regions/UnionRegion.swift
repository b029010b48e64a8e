/// The features of a request's own cells and those of its groups: a little more where there are many
/// sizes of cells.
struct UnionRegion: IndexRegion {
  private let parts: [CellsRegion]
  /// More sizes than a client has a use for are not told apart.
  private static let manySizes = 16

  init(_ request: ClusterRequest) {
    var cells = [request.cells.grid: request.cells]
    for override in request.grouping?.overrides.values ?? [:].values {
      cells[override.cells.grid] = override.cells
    }
    parts = cells.count > UnionRegion.manySizes ? [] : cells.values.map(CellsRegion.init)
  }

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    if parts.isEmpty { return .inside }
    var union = Coverage.outside
    for part in parts {
      switch part.coverage(of: node, in: view) {
      case .inside: return .inside
      case .partial: union = .partial
      case .outside: break
      }
    }
    return union
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    parts.isEmpty || parts.contains { $0.contains(place, in: view) }
  }
}
