extension Drilldown {
  /// The zoom at which its features come apart, and the rectangle in which to show them.
  ///
  /// - Complexity: O(n) in the features of at most 25 cells if its features alone don't meet the thresholds, as
  ///   the cells that hold them are then summed up at each zoom.
  public var expansion: Expansion {
    let found = layer.finestBounds(of: annotation, in: collection.index)
    let zoom = layer.expansionZoom(of: annotation, in: collection.index, found) {
      isClustered($1, of: $0)
    }
    return Expansion(zoom: zoom, visibleMapRect: found.bounds.visibleMapRect)
  }

  /// Whether a cell that holds its features meets the thresholds, together with its other features.
  private func isClustered(_ cell: CellPosition, of grid: CellGrid) -> Bool {
    let settings = options.settings
    let locations = settings.minUniqueLocationsForClustering
    // A cell has no fewer features than the annotation alone.
    if annotation.count >= settings.minPoints, locations <= 1 { return true }
    let region = CellRegion(grid: grid, cell: cell)
    let scope = Drilldown.scope(of: collection, passing: options.filter, part, in: region)
    let sum = GridSummation.sums(
      of: scope.points, in: EverywhereRegion(), by: GridRange(grid: grid, only: cell),
      excluding: scope.ordinals(of: settings.keepApart), countingLocations: locations > 1
    ).first
    return sum.map(settings.areMet(by:)) ?? true
  }
}
