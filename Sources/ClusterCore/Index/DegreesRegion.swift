/// The features of a bbox in degrees: west and south edges in, east and north edges out, but for the
/// North Pole; across the antimeridian where west > east. Longitude 180 counts as −180.
public struct DegreesRegion: IndexRegion, Sendable {
  private let south: Double
  private let north: Double
  private let includesNorth: Bool
  /// One half-open interval of longitudes, or two where the bbox crosses the antimeridian.
  private let first: Range<Double>
  private let second: Range<Double>

  /// The region of a bbox; `east − west ≥ 360` is the whole circle.
  ///
  /// - Throws: ``ImpossibleRequest`` where south lies above north or a value is out of range.
  public init(west: Double, south: Double, east: Double, north: Double) throws(ImpossibleRequest) {
    try VisibleRect.checkBBox(west: west, south: south, east: east, north: north)
    self.south = south
    self.north = north
    includesNorth = north == 90
    if east - west >= 360 {
      (first, second) = (-180..<180.0, 0..<0)
      return
    }
    let start = Geodesy.normalisedLongitude(west)
    let end = Geodesy.normalisedLongitude(east)
    if start == end {
      (first, second) = (start..<start, 0..<0)
    } else if start < end {
      (first, second) = (start..<end, 0..<0)
    } else {
      (first, second) = (start..<180.0, -180..<end)
    }
  }

  @inline(__always)
  private func contains(latitude: Double) -> Bool {
    latitude >= south && (latitude < north || (includesNorth && latitude == north))
  }

  func coverage(of node: Int, in view: IndexView) -> Coverage {
    let bounds = view.aggregates[node].pointee.bounds
    if bounds.south > north || bounds.north < south { return .outside }
    if !touches(bounds, first) && !touches(bounds, second) { return .outside }
    let inLatitude = contains(latitude: bounds.south) && contains(latitude: bounds.north)
    return inLatitude && (holds(bounds, first) || holds(bounds, second)) ? .inside : .partial
  }

  private func touches(_ bounds: GeoBounds, _ range: Range<Double>) -> Bool {
    bounds.west < range.upperBound && bounds.east >= range.lowerBound
  }

  private func holds(_ bounds: GeoBounds, _ range: Range<Double>) -> Bool {
    bounds.west >= range.lowerBound && bounds.east < range.upperBound
  }

  func contains(_ place: Int, in view: IndexView) -> Bool {
    let coordinate = view.coordinates[place]
    let longitude = coordinate.foldedLongitude
    return contains(latitude: coordinate.latitude)
      && (first.contains(longitude) || second.contains(longitude))
  }
}
