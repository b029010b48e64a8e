extension PointIndex {
  /// The annotation of a whole cell, placed where its clusterer says.
  func annotation(
    ofCell sum: CellSum, grid: CellGrid, in region: some IndexRegion,
    excluding excluded: OrdinalSet, at position: ClusterPosition, nearest: () -> Int?
  ) -> Annotation {
    var annotation = Annotation(
      sum, of: self, in: region, excluding: excluded, as: .cell(sum.cell))
    guard annotation.isCluster else { return annotation }
    switch position {
    case .centerOfMass: break
    case .cellCenter: annotation.coordinate = grid.centerCoordinate(of: sum.cell)
    case .first: annotation.coordinate = coordinate(at: sum.first)
    case .nearCenter:
      if let place = nearest() { annotation.coordinate = coordinate(at: place) }
    }
    return annotation
  }

  /// The sums of a region's features by location, in index order, at most `limit` of them.
  func locationSums(
    in region: some IndexRegion, cell: CellPosition, excluding excluded: OrdinalSet, limit: Int
  ) -> [CellSum] {
    var sums: [CellSum] = []
    var current: Location?
    func open(_ place: Int, _ view: IndexPointers) -> Bool {
      let location = view.positions[place].location
      if location != current {
        guard sums.count < limit else { return false }
        sums.append(CellSum(cell: cell, first: place))
        current = location
      }
      return true
    }
    walk(
      region,
      take: { node, view in
        let points = view.points(of: node)
        guard view.nodes[node].box.isOneLocation, !excluded.intersects(points) else {
          return .open
        }
        guard open(points.lowerBound, view) else { return .stop }
        sums[sums.count - 1].add(node: node, points, in: view, countingLocations: false)
        return .taken
      },
      point: { place, view in
        if excluded.contains(place) { return true }
        guard open(place, view) else { return false }
        sums[sums.count - 1].add(place, in: view, countingLocations: false)
        return true
      })
    return sums
  }
}
