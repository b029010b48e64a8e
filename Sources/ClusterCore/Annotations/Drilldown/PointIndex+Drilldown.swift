extension PointIndex {
  /// The annotation of a whole cell or of one location in it; nil if it has no features.
  func annotation(
    of region: CellRegion, location: Location?, position: ClusterPosition,
    excluding excluded: OrdinalSet
  ) -> Annotation? {
    if let location {
      let part = LocationRegion(cell: region, location: location)
      return sum(of: part, cell: region.cell, excluding: excluded).map { sum in
        Annotation(
          sum, of: self, in: part, excluding: excluded, as: .location(region.cell, location))
      }
    }
    guard let sum = sum(of: region, cell: region.cell, excluding: excluded) else { return nil }
    return annotation(
      ofCell: sum, CellFigures.figures(of: sum.sum), grid: region.grid, in: region,
      excluding: excluded, at: position)
  }

  /// The sum of the features of a region; nil if there are none.
  private func sum(
    of region: some IndexRegion, cell: CellPosition, excluding excluded: OrdinalSet
  ) -> CellSum? {
    var sum: CellSum?
    walk(
      region,
      take: { node, pointers in
        let points = pointers.points(of: node)
        guard !excluded.intersects(points) else { return .open }
        var total = sum ?? CellSum(cell: cell, first: points.lowerBound)
        total.add(node: node, points, in: pointers, countingLocations: false)
        sum = total
        return .taken
      },
      point: { ordinal, pointers in
        if excluded.contains(ordinal) { return true }
        var total = sum ?? CellSum(cell: cell, first: ordinal)
        total.add(ordinal, in: pointers, countingLocations: false)
        sum = total
        return true
      })
    return sum
  }
}
