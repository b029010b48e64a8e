extension FeatureScope {
  /// The groups of the scope that have features in their cells, by rank, each as a scope of its own;
  /// nil where there are more than any answer has annotations.
  ///
  /// A view of much of the scope takes it apart as a whole and remembers the parts; another one only
  /// looks at what it shows.
  func groups(
    _ grouping: Grouping, of request: ClusterRequest
  ) -> [(rank: Int, scope: FeatureScope)]? {
    let most = ClusterRequest.maximumLimit
    let regions = CellsRegion(request.cells)
    if let name, grouping.keys.keys.count < FeatureScope.fewGroups,
      points.countPlaces(in: regions) > count / 4
    {
      let name = name.grouped(by: grouping.property)
      return index.scopes.remembered(name) {
        let all = parts(by: grouping.keys, most: most, points.forEachRun)
        return all ?? []
      }
    }
    guard request.hasOtherCells else {
      return parts(by: grouping.keys, most: most) { body in
        points.forEachRun(in: regions) {
          body($0)
          return true
        }
      }
    }
    return groupsInOwnCells(grouping, of: request)
  }

  /// As many groups are remembered, at most.
  private static let fewGroups = 1024

  /// As above where groups have cells of their own: a feature counts if it is in those of its group.
  private func groupsInOwnCells(
    _ grouping: Grouping, of request: ClusterRequest
  ) -> [(rank: Int, scope: FeatureScope)]? {
    let own = CellsRegion(request.cells)
    var regions: [Int: CellsRegion] = [:]
    for (key, override) in grouping.overrides {
      let region = CellsRegion(override.cells)
      if let rank = grouping.keys.rank(of: key) { regions[Int(rank)] = region }
      if key == KeyColumn.nullKey { regions[0] = region }
    }
    let view = points.view
    return withExtendedLifetime(points) {
      parts(by: grouping.keys, most: ClusterRequest.maximumLimit) { body in
        points.forEachRun(in: UnionRegion(request)) { run in
          for place in run {
            let rank = Int(grouping.keys.rank(at: collectionPlace(place)))
            if (regions[rank] ?? own).contains(place, in: view) { body(place..<place + 1) }
          }
          return true
        }
      }
    }
  }
}

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

  func coverage(of node: Int, in view: IndexView) -> Coverage {
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

  func contains(_ place: Int, in view: IndexView) -> Bool {
    parts.isEmpty || parts.contains { $0.contains(place, in: view) }
  }
}
