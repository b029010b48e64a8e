extension PointIndex {
  /// The annotation of a whole cell, drawn at the given position.
  ///
  /// - Parameter figures: its mean and bounds, as ``CellFigures`` finds them.
  @inline(__always)
  func annotation(
    ofCell sum: CellSum, _ figures: CellFigures.Cell, grid: CellGrid,
    in region: some IndexRegion, excluding excluded: OrdinalSet, at position: ClusterPosition
  ) -> Annotation {
    var annotation: Annotation
    if sum.count > 1, !sum.sum.box.isPolar {
      annotation = Annotation(
        key: .cell(sum.cell), coordinate: figures.coordinate, count: sum.count,
        bounds: figures.bounds, isUniqueLocation: sum.sum.box.isOneLocation, first: sum.first)
    } else {
      annotation = Annotation(sum, of: self, in: region, excluding: excluded, as: .cell(sum.cell))
    }
    guard annotation.isCluster else { return annotation }
    switch position {
    case .centerOfMass: break
    case .cellCenter: annotation.coordinate = grid.centerCoordinate(of: sum.cell)
    case .first: annotation.coordinate = coordinate(at: sum.first)
    case .nearCenter:
      let center = grid.center(of: sum.cell)
      if let ordinal = nearest(to: center, in: region, excluding: excluded) {
        annotation.coordinate = coordinate(at: ordinal)
      }
    }
    return annotation
  }

  /// The sums of a region's features by location, in index order, at most `limit` of them.
  func locationSums(
    in region: some IndexRegion, cell: CellPosition, excluding excluded: OrdinalSet, limit: Int
  ) -> [CellSum] {
    var sums: [CellSum] = []
    var current: Location?
    func open(_ ordinal: Int, _ pointers: IndexPointers) -> Bool {
      let location = pointers.position(ordinal).location
      if location != current {
        guard sums.count < limit else { return false }
        sums.append(CellSum(cell: cell, first: ordinal))
        current = location
      }
      return true
    }
    walk(
      region,
      take: { node, pointers in
        let points = pointers.points(of: node)
        guard pointers.node(node).box.isOneLocation, !excluded.intersects(points) else {
          return .open
        }
        guard open(points.lowerBound, pointers) else { return .stop }
        sums[sums.count - 1].add(node: node, points, in: pointers, countingLocations: false)
        return .taken
      },
      point: { ordinal, pointers in
        if excluded.contains(ordinal) { return true }
        guard open(ordinal, pointers) else { return false }
        sums[sums.count - 1].add(ordinal, in: pointers, countingLocations: false)
        return true
      })
    return sums
  }
}
