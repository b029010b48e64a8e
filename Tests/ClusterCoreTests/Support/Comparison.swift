import TestSupport

@testable import ClusterCore

extension TwinAnswer {
  /// How the service's result differs from this answer, as sentences.
  func differences(
    from result: ClusterResult, _ viewport: Viewport, of index: FeatureIndex
  ) -> [String] {
    var found: [String] = []
    func same<T: Equatable>(_ name: String, _ got: T, _ want: T) {
      if got != want { found.append("\(name) is \(got), not \(want)") }
    }
    // Of steps that no double is, the last bits depend on how they are multiplied.
    if (viewport.zoomLevel - grid.zoomLevel).magnitude > 1e-12 {
      found.append("zoomLevel is \(viewport.zoomLevel), not \(grid.zoomLevel)")
    }
    same("cellsPerWorld", viewport.cells.grid.cellsPerWorld, grid.cellsPerWorld)
    same("cellMapSize", viewport.cells.grid.cellMapSize, grid.cellMapSize)
    same("rows", viewport.cells.rows.isEmpty, grid.rows.isEmpty)
    if !grid.rows.isEmpty {
      let (rect, want) = (viewport.cells.mapRect, grid.rect)
      let edges = [rect.x, rect.y, rect.width, rect.height]
      let wanted = [want.x, want.y, want.width, want.height]
      if zip(edges, wanted).contains(where: { ($0 - $1).magnitude > 1e-6 }) {
        found.append("grid rect is \(edges), not \(wanted)")
      }
    }
    same("featureCount", result.featureCount, featureCount)
    let counts = Dictionary(
      uniqueKeysWithValues: FeatureScope(index).countsByCell(viewport.cells).map {
        (TwinCell(row: $0.cell.row, column: $0.cell.column), $0.count)
      })
    same("cell counts", counts, cellCounts)
    same("number of annotations", result.annotations.count, annotations.count)
    guard found.isEmpty else { return found }
    for (number, (got, want)) in zip(result.annotations, annotations).enumerated() {
      var ids: [FeatureID] = []
      result.forEachFeature(of: got) {
        ids.append(index.record(at: $0).id)
        return true
      }
      same("features of \(number)", ids, want.features.map(\.id))
      let cell = CellPosition(column: want.cell.column, row: want.cell.row)
      let center = viewport.cells.grid.center(of: cell)
      found += want.differences(from: got, of: index, center: center).map {
        "annotation \(number): \($0)"
      }
    }
    return found
  }
}

extension TwinAnnotation {
  /// How an annotation of the service differs from this one.
  func differences(
    from got: Annotation, of index: FeatureIndex, center: MapPoint
  ) -> [String] {
    var found: [String] = []
    func same<T: Equatable>(_ name: String, _ got: T, _ want: T) {
      if got != want { found.append("\(name) is \(got), not \(want)") }
    }
    same("count", got.count, count)
    same("isCluster", got.isCluster, isCluster)
    same("isUniqueLocation", got.isUniqueLocation, isUniqueLocation)
    same("first", index.record(at: got.first).id, features[0].id)
    same("key", got.key, key)
    let bounds = [got.bounds.west, got.bounds.south, got.bounds.east, got.bounds.north]
    // Those of several features are right to 8.5e-8°.
    let tolerance = count == 1 ? 0 : 8.5e-8
    if zip(bounds, bbox).contains(where: { ($0 - $1).magnitude > tolerance }) {
      found.append("bbox is \(bounds), not \(bbox)")
    }
    let isRight =
      isCoordinateExact
      ? got.coordinate.isIdentical(to: coordinate) || isTie(got.coordinate, center)
      : got.coordinate.isNear(coordinate, within: 1e-7)
    if !isRight { found.append("coordinate is \(got.coordinate), not \(coordinate)") }
    same("contested", got.spread?.contested, contested)
    same("originalCoordinate", got.spread?.originalCoordinate, originalCoordinate)
    return found
  }

  /// Whether another coordinate of a cluster is as near to its cell's centre but for rounding. Of
  /// exactly equal distances the first feature's counts.
  private func isTie(_ other: Coordinate, _ center: MapPoint) -> Bool {
    guard isCluster, kind == .cell, features.contains(where: { $0.coordinate == other }) else {
      return false
    }
    let distances = [coordinate, other].map { coordinate in
      let (x, y) = Twin.project(coordinate)
      return ((x - center.x) * (x - center.x) + (y - center.y) * (y - center.y)).squareRoot()
    }
    return distances[0] != distances[1] && (distances[0] - distances[1]).magnitude < 1e-6
  }

  /// What its id names.
  private var key: Annotation.Key {
    let cell = CellPosition(column: self.cell.column, row: self.cell.row)
    switch kind {
    case .cell: return .cell(cell)
    case .location(let location):
      return .location(
        cell, Location(column: UInt32(location.column), row: UInt32(location.row)))
    case .feature: return .feature
    }
  }
}
