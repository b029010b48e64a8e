import ClusterCore

/// On which side of the antimeridian longitudes are answered: that of a meridian, within 180° of it and beyond
/// ±180 where need be.
struct LongitudeSide: Sendable {
  /// In degrees, any number of times around the world.
  private let center: Double

  /// The side of the middle of a rectangle.
  init(ofMiddleOf rect: MapRect) {
    center = WebMercator.longitude(x: rect.x + rect.width / 2)
  }

  /// Whether all longitudes of some cells' features stay as they are.
  ///
  /// - Parameter rect: the cells, beginning in the world.
  func keepsAll(of rect: MapRect) -> Bool {
    let west = WebMercator.longitude(x: rect.x)
    let east = WebMercator.longitude(x: rect.x + rect.width)
    // At the antimeridian longitude 180 is in the first column.
    return center - 180 <= west && east <= center + 180 && (west > -180 || center >= 0)
      && east <= 180
  }

  /// A longitude within 180° of the meridian.
  func turned(_ longitude: Double) -> Double {
    LongitudeSide.turned(longitude, near: center)
  }

  /// A longitude within 180° of another one.
  static func turned(_ longitude: Double, near other: Double) -> Double {
    (longitude - other).magnitude <= 180
      ? longitude : longitude + 360 * ((other - longitude) / 360).rounded()
  }

  /// A coordinate on this side.
  func turned(_ coordinate: Coordinate) -> Coordinate {
    Coordinate(latitude: coordinate.latitude, longitude: turned(coordinate.longitude))
  }

  /// An annotation on this side as a whole: its coordinate is, and its bounds go with that, west before east.
  func turned(_ annotation: Annotation) -> Annotation {
    var annotation = annotation
    annotation.coordinate = turned(annotation.coordinate)
    let longitude = annotation.coordinate.longitude
    annotation.bounds = annotation.bounds.turned(near: longitude)
    if var origin = annotation.spread?.originalCoordinate {
      origin.longitude = LongitudeSide.turned(origin.longitude, near: longitude)
      annotation.spread?.originalCoordinate = origin
    }
    return annotation
  }
}

extension GeoBounds {
  /// The bounds with their middle within 180° of a longitude, west before east.
  func turned(near longitude: Double) -> GeoBounds {
    var bounds = self
    if bounds.west > bounds.east { bounds.east += 360 }
    let middle = bounds.west + (bounds.east - bounds.west) / 2
    let shift = LongitudeSide.turned(middle, near: longitude) - middle
    if shift != 0 { (bounds.west, bounds.east) = (bounds.west + shift, bounds.east + shift) }
    return bounds
  }
}

extension Hull {
  /// The hull with its middle within 180° of a longitude.
  func turned(near longitude: Double) -> Hull {
    let longitudes = corners.map(\.longitude)
    guard let west = longitudes.min(), let east = longitudes.max() else { return self }
    let middle = west + (east - west) / 2
    let shift = LongitudeSide.turned(middle, near: longitude) - middle
    guard shift != 0 else { return self }
    var hull = self
    for index in hull.corners.indices { hull.corners[index].longitude += shift }
    return hull
  }
}
