extension CellGrid {
  /// The edges of a cell in degrees.
  public func bounds(of cell: CellPosition) -> GeoBounds {
    GeoBounds(
      west: WebMercator.longitude(x: Double(cell.column) * cellMapSize),
      south: WebMercator.latitude(y: Double(cell.row + 1) * cellMapSize),
      east: WebMercator.longitude(x: Double(cell.column + 1) * cellMapSize),
      north: WebMercator.latitude(y: Double(cell.row) * cellMapSize))
  }

  /// The centre of a cell in map points.
  func center(of cell: CellPosition) -> MapPoint {
    MapPoint(
      x: (Double(cell.column) + 0.5) * cellMapSize, y: (Double(cell.row) + 0.5) * cellMapSize)
  }

  /// The centre of a cell, rounded to 1e-8°.
  func centerCoordinate(of cell: CellPosition) -> Coordinate {
    let center = center(of: cell)
    return Coordinate(
      latitude: (WebMercator.latitude(y: center.y) * 1e8).rounded() / 1e8,
      longitude: (WebMercator.longitude(x: center.x) * 1e8).rounded() / 1e8)
  }
}
