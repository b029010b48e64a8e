extension PointIndex {
  /// The annotation of a whole cell or of one location in it; nil if it has no features.
  func annotation(
    of region: CellRegion, position: ClusterPosition, excluding excluded: OrdinalSet
  ) -> Annotation? {
    guard let sum = sum(of: region, excluding: excluded) else { return nil }
    if let location = region.location {
      return Annotation(
        sum, of: self, in: region, excluding: excluded, as: .location(region.cell, location))
    }
    return annotation(
      ofCell: sum, CellFigures.figures(of: sum.sum), grid: region.grid, in: region,
      excluding: excluded, at: position)
  }

  /// The sum of the features of a region; nil if there are none.
  private func sum(of region: CellRegion, excluding excluded: OrdinalSet) -> CellSum? {
    var sum = CellSum(cell: region.cell)
    walk(
      region,
      take: { node, pointers in
        let points = pointers.points(of: node)
        guard !excluded.intersects(points) else { return .open }
        sum.begin(at: points.lowerBound)
        sum.add(node: node, points, in: pointers, countingLocations: false)
        return .taken
      },
      point: { ordinal, pointers in
        if excluded.contains(ordinal) { return true }
        sum.begin(at: ordinal)
        sum.add(ordinal, in: pointers, countingLocations: false)
        return true
      })
    return sum.count > 0 ? sum : nil
  }
}
