extension PointIndex {
  /// The annotation of a whole cell or of one location in it; nil if it has no features.
  func annotation(
    of region: CellRegion, position: ClusterPosition, excluding excluded: OrdinalSet
  ) -> Annotation? {
    guard let sum = sum(of: region, excluding: excluded, countingLocations: false) else {
      return nil
    }
    if let location = region.location {
      return Annotation(
        sum, of: self, in: region, excluding: excluded, as: .location(region.cell, location))
    }
    return annotation(
      ofCell: sum, CellFigures.figures(of: sum.sum), grid: region.grid, in: region,
      excluding: excluded, at: position)
  }

  /// The sum of the features of a cell, or of a location in it; nil if there are none.
  func sum(
    of region: CellRegion, excluding excluded: OrdinalSet, countingLocations: Bool
  ) -> CellSum? {
    GridSummation.sums(
      of: self, in: region, by: GridRange(grid: region.grid, only: region.cell),
      excluding: excluded, countingLocations: countingLocations
    ).first
  }
}
