/// The bounds of an annotation's features, prepared for comparisons with many previous annotations. The
/// projection is monotone, so the corners decide. Bounds are rounded and therefore widened a little.
struct FeatureExtent {
  private let bounds: GeoBounds
  private let northWest: MapPoint
  private let southEast: MapPoint
  private let firstLocation: Location
  private let lastLocation: Location

  /// - Parameter bounds: Bounds that don't cross the antimeridian.
  init(_ bounds: GeoBounds) {
    self.bounds = bounds.folded.widened
    let northWest = Coordinate(latitude: self.bounds.north, longitude: self.bounds.west)
    let southEast = Coordinate(latitude: self.bounds.south, longitude: self.bounds.east)
    self.northWest = WebMercator.project(northWest)
    self.southEast = WebMercator.project(southEast)
    firstLocation = Position(northWest).location
    lastLocation = Position(southEast).location
  }

  /// Whether any of the features may be held by a previous annotation.
  func meets(_ held: HeldFeatures, of index: FeatureIndex) -> Bool {
    switch held {
    case .cell(let region): return meets(region)
    case .feature(let ordinal):
      let coordinate = index.coordinate(at: ordinal)
      let longitude = coordinate.foldedLongitude
      return bounds.south <= coordinate.latitude && coordinate.latitude <= bounds.north
        && bounds.west <= longitude && longitude <= bounds.east
    }
  }

  private func meets(_ region: CellRegion) -> Bool {
    if let location = region.location {
      guard firstLocation.column <= location.column, location.column <= lastLocation.column,
        firstLocation.row <= location.row, location.row <= lastLocation.row
      else { return false }
    }
    let grid = region.grid
    return grid.cell(of: northWest.x) <= region.cell.column
      && region.cell.column <= grid.cell(of: southEast.x)
      && grid.cell(of: northWest.y) <= region.cell.row
      && region.cell.row <= grid.cell(of: southEast.y)
  }
}
