import ClusterCore
import Glibc

extension Twin {
  /// The answer to a request over some features.
  public static func cluster(_ features: [TwinFeature], _ request: TwinRequest) throws(TwinRefusal)
    -> TwinAnswer
  {
    try Twin(features).cluster(request)
  }

  /// The answer to a request, sections 3 and 4.
  public func cluster(_ request: TwinRequest) throws(TwinRefusal) -> TwinAnswer {
    if request.filter != nil {
      var unfiltered = request
      unfiltered.filter = nil
      return try filtered(by: request.filter).cluster(unfiltered)
    }
    if request.method != .grid { return try clusterWithoutGrid(request) }
    let grid = try TwinGrid(request)
    var cells: [TwinCell: [Placed]] = [:]
    for one in placed {
      let cell = grid.cell(x: one.x, y: one.y)
      if grid.contains(cell) { cells[cell, default: []].append(one) }
    }
    if request.debug, grid.columns * grid.rows.count > 10_000 { throw .tooManyCells }
    var annotations = annotations(of: cells, request, grid)
    if request.groupBy != nil { annotations = try annotationsOfGroups(request) }
    guard annotations.count <= request.limit else { throw .overLimit }
    return TwinAnswer(
      grid: grid, featureCount: cells.values.reduce(0) { $0 + $1.count },
      annotations: annotations, cellCounts: cells.mapValues(\.count))
  }

  /// The annotations of each group on its own grid, by row, column and group.
  private func annotationsOfGroups(_ request: TwinRequest) throws(TwinRefusal) -> [TwinAnnotation] {
    var found: [TwinAnnotation] = []
    for (group, members) in groups(request.groupBy) {
      let own = request.settings(of: group)
      let grid = try TwinGrid(own)
      let cells = Dictionary(grouping: members) { grid.cell(x: $0.x, y: $0.y) }
        .filter { grid.contains($0.key) }
      found += annotations(of: cells, own, grid, group)
    }
    // The groups come in order, so that a stable sort by cell is all that is missing.
    return found.enumerated().sorted { a, b in
      a.element.cell != b.element.cell ? a.element.cell < b.element.cell : a.offset < b.offset
    }.map(\.element)
  }

  /// The features of each group, groups in order.
  func groups(_ property: String?) -> [(group: TwinGroup?, placed: [Placed])] {
    guard let property else { return [(nil, placed)] }
    let byKey = Dictionary(grouping: placed) { TwinGroup(property, of: $0.value(property)) }
    return byKey.keys.sorted().map { ($0, byKey[$0] ?? []) }
  }

  /// The children of some features on the grid of a zoom level: as if only they existed.
  public static func children(
    of features: [TwinFeature], zoomLevel: Double, _ request: TwinRequest, group: TwinGroup? = nil
  ) -> [TwinAnnotation] {
    let grid = TwinGrid(
      zoomLevel: request.zoomStep.roundedDown(zoomLevel), cellSize: request.cellSize)
    let cells = Dictionary(grouping: Twin(features).placed) { grid.cell(x: $0.x, y: $0.y) }
    return Twin(features).annotations(of: cells, request, grid, group)
  }

  /// The smallest integer zoom ≤ 24 with more cells than its own grid at which a request with the same fields
  /// answers an annotation's features as more than one: each zoom is asked.
  public func expansionZoom(of annotation: TwinAnnotation, _ request: TwinRequest) -> Int? {
    guard annotation.isCluster else { return nil }
    let own = annotation.group.map(request.settings(of:)) ?? request
    let all = filtered(by: request.filter).placed.filter { one in
      annotation.group == nil
        || TwinGroup(request.groupBy ?? "", of: one.value(request.groupBy ?? ""))
          == annotation.group
    }
    let ids = Set(annotation.features.map(\.id))
    return (0...24).first { zoom in
      let grid = TwinGrid(
        zoomLevel: own.zoomStep.roundedDown(Double(zoom)), cellSize: own.cellSize)
      guard grid.cellsPerWorld > annotation.grid.cellsPerWorld else { return false }
      var cells = Dictionary(grouping: all) { grid.cell(x: $0.x, y: $0.y) }
      cells = cells.filter { $0.value.contains { ids.contains($0.feature.id) } }
      let holders = annotations(of: cells, own, grid, annotation.group).filter { one in
        one.features.contains { ids.contains($0.id) }
      }
      return holders.count > 1
    }
  }

  private func annotations(
    of cells: [TwinCell: [Placed]], _ request: TwinRequest, _ grid: TwinGrid,
    _ group: TwinGroup? = nil
  ) -> [TwinAnnotation] {
    cells.keys.sorted().flatMap { cell in
      TwinCellWork(
        cell: cell, placed: cells[cell] ?? [], request: request, grid: grid, group: group
      ).annotations()
    }
  }
}

/// What becomes of one cell.
private struct TwinCellWork {
  let cell: TwinCell
  /// In index order.
  let placed: [Twin.Placed]
  let request: TwinRequest
  let grid: TwinGrid
  let group: TwinGroup?

  func annotations() -> [TwinAnnotation] {
    let apart = placed.filter { request.keepApart.contains($0.feature.id) }
    let free = placed.filter { !request.keepApart.contains($0.feature.id) }
    var groups: [(kind: TwinAnnotation.Kind, placed: [Twin.Placed])] = []
    if isClustered(free) {
      if !free.isEmpty { groups.append((.cell, free)) }
      groups += apart.map { (.feature($0.feature.id), [$0]) }
    } else if request.decluster {
      groups = placed.map { (.feature($0.feature.id), [$0]) }
    } else {
      groups = Dictionary(grouping: free, by: \.location).map { (.location($0), $1) }
      groups += apart.map { (.feature($0.feature.id), [$0]) }
    }
    let order = Dictionary(uniqueKeysWithValues: placed.enumerated().map { ($1.feature.id, $0) })
    func first(_ group: [Twin.Placed]) -> Int { order[group[0].feature.id] ?? 0 }
    groups.sort { first($0.placed) < first($1.placed) }
    let hasCluster = groups.contains { $0.placed.count > 1 }
    return groups.map { kind, members in
      // Every pin is spread, except a kept-apart one in a cell that has a cluster.
      let isApart = members.count == 1 && request.keepApart.contains(members[0].feature.id)
      let isSpread = request.decluster && members.count == 1 && !(isApart && hasCluster)
      return annotation(kind, members, isSpread: isSpread)
    }
  }

  private func isClustered(_ free: [Twin.Placed]) -> Bool {
    if let most = request.maxZoomLevelForClustering, grid.zoomLevel > most { return false }
    // A lone feature is a pin; with decluster every pin is spread and named by its feature.
    if request.decluster && free.count < 2 { return false }
    let locations = Set(free.map(\.location))
    return free.count >= request.minPoints
      && locations.count >= request.minUniqueLocationsForClustering
  }

  private func annotation(
    _ kind: TwinAnnotation.Kind, _ members: [Twin.Placed], isSpread: Bool
  ) -> TwinAnnotation {
    let features = members.map(\.feature)
    let first = members[0]
    var position = (coordinate: first.feature.coordinate, isExact: true)
    var bbox = [first, first].flatMap {
      [$0.feature.coordinate.longitude, $0.feature.coordinate.latitude]
    }
    if members.count > 1 {
      let longitudes = features.map { folded($0.coordinate.longitude) }
      let latitudes = features.map(\.coordinate.latitude)
      bbox = [
        longitudes.min() ?? 0, latitudes.min() ?? 0, longitudes.max() ?? 0, latitudes.max() ?? 0,
      ]
      if kind == .cell { position = clusterPosition(members, longitudes, latitudes) }
    } else if isSpread {
      let spread = Twin.spread(first, distance: request.distanceFromContestedLocation)
      position = (spread, first.contested == 1)
    }
    let titles = Twin.titles(features, request)
    return TwinAnnotation(
      cell: cell, grid: grid, group: group, kind: kind, features: features,
      coordinate: position.coordinate,
      isCoordinateExact: position.isExact,
      isUniqueLocation: Set(members.map(\.location)).count == 1,
      bbox: bbox, title: titles.title, subtitle: titles.subtitle,
      originalCoordinate: isSpread ? first.feature.coordinate : nil,
      contested: isSpread ? first.contested : nil,
      members: members.count > 1 ? Array(features.prefix(request.members)) : [],
      statistics: TwinStatistics(of: members, request))
  }

  private func folded(_ longitude: Double) -> Double { longitude == 180 ? -180 : longitude }

  private func clusterPosition(
    _ members: [Twin.Placed], _ longitudes: [Double], _ latitudes: [Double]
  ) -> (coordinate: Coordinate, isExact: Bool) {
    let x = (Double(cell.column) + 0.5) * grid.cellMapSize
    let y = (Double(cell.row) + 0.5) * grid.cellMapSize
    switch request.clusterer {
    case .first: return (members[0].feature.coordinate, true)
    case .cellCenter: return (Twin.unproject(x: x, y: y), false)
    case .centerOfMass:
      var weights = members.map { TwinStatistics.weight(of: $0, by: request.weightBy) }
      if weights.reduce(0, +) == 0 { weights = members.map { _ in 1 } }
      let sum = weights.reduce(0, +)
      func mean(_ values: [Double]) -> Double {
        zip(weights, values).reduce(0) { $0 + $1.0 * $1.1 } / sum
      }
      return (Coordinate(latitude: mean(latitudes), longitude: mean(longitudes)), false)
    case .nearCenter:
      func distance(_ one: Twin.Placed) -> Double {
        (one.x - x) * (one.x - x) + (one.y - y) * (one.y - y)
      }
      var nearest = members[0]
      for one in members.dropFirst() where distance(one) < distance(nearest) { nearest = one }
      return (nearest.feature.coordinate, true)
    }
  }
}

extension Twin {
  /// The title and subtitle of some features, section 4.
  static func titles(_ features: [TwinFeature], _ request: TwinRequest) -> (
    title: String, subtitle: String?
  ) {
    func title(_ feature: TwinFeature) -> String? {
      guard let name = request.titleProperty, let value = feature.property(name) else { return nil }
      return value.isNull ? nil : value.string ?? value.text
    }
    if features.count == 1 { return (title(features[0]) ?? "1 annotation", nil) }
    let all = "\(features.count) annotations"
    guard request.titleProperty != nil else { return (all, nil) }
    let names = features.lazy.compactMap(title).prefix(request.subtitleLimit)
    return (all, names.joined(separator: ", "))
  }
}
