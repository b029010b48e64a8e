extension PointIndex {
  /// The annotation of a whole cell or of one location in it.
  func annotation(
    of region: CellRegion, location: Location?, position: ClusterPosition,
    excluding excluded: OrdinalSet
  ) -> (Annotation, PositionBox, GeoBounds)? {
    if let location {
      let part = LocationRegion(cell: region, location: location)
      return sum(of: part, cell: region.cell, excluding: excluded).map { sum in
        let annotation = Annotation(
          sum, of: self, in: part, excluding: excluded, as: .location(region.cell, location))
        return (annotation, sum.sum.box, exactBounds(annotation, sum, in: part, excluded))
      }
    }
    guard let sum = sum(of: region, cell: region.cell, excluding: excluded) else { return nil }
    let annotation = annotation(
      ofCell: sum, grid: region.grid, in: region, excluding: excluded, at: position
    ) {
      nearest(to: region.grid.center(of: region.cell), in: region, excluding: excluded)
    }
    return (annotation, sum.sum.box, exactBounds(annotation, sum, in: region, excluded))
  }

  private func exactBounds(
    _ annotation: Annotation, _ sum: CellSum, in region: some IndexRegion, _ excluded: OrdinalSet
  ) -> GeoBounds {
    let bounds = exactBounds(of: sum.sum.box, in: region, excluding: excluded, atMost: 4096)
    return bounds ?? annotation.bounds
  }

  /// What the features of a region add up to; nil when it is empty.
  private func sum(
    of region: some IndexRegion, cell: CellPosition, excluding excluded: OrdinalSet
  ) -> CellSum? {
    var sum: CellSum?
    walk(
      region,
      take: { node, view in
        let points = view.points(of: node)
        guard !excluded.intersects(points) else { return .open }
        var total = sum ?? CellSum(cell: cell, first: points.lowerBound)
        total.add(node: node, points, in: view, countingLocations: false)
        sum = total
        return .taken
      },
      point: { place, view in
        if excluded.contains(place) { return true }
        var total = sum ?? CellSum(cell: cell, first: place)
        total.add(place, in: view, countingLocations: false)
        sum = total
        return true
      })
    return sum
  }
}
