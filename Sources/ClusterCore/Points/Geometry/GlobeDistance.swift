import Glibc

/// The distances of coordinates from one of them on the sphere of ``Geodesy/earthRadius``, along great circles.
public struct GlobeDistance: Hashable, Sendable, BitwiseCopyable {
  /// Where distances are measured from.
  public let origin: Coordinate
  private let cosine: Double

  /// Half of the way around the Earth in metres, than which no distance is longer.
  public static let longest = Double.pi * Geodesy.earthRadius

  /// Creates the distances from a coordinate on Earth.
  public init(from origin: Coordinate) {
    self.origin = origin
    cosine = GlobeDistance.cosine(origin.latitude)
  }

  /// Returns the distance of a coordinate in metres, 0 for the same place and accurate to a few nanometres everywhere.
  ///
  /// `2R·atan2(√h, √(1 − h))` with `h = sin²(Δφ/2) + cos φ cos φ' sin²(Δλ/2)`. `1 − h` is calculated as
  /// `sin²((φ + φ')/2) + cos φ cos φ' cos²(Δλ/2)`, which loses nothing on the other side of the Earth.
  public func metres(to place: Coordinate) -> Double {
    metres(toLatitude: place.latitude, acrossLongitudes: difference(to: place.longitude))
  }

  private func metres(toLatitude latitude: Double, acrossLongitudes difference: Double) -> Double {
    let (half, radians) = (difference * .pi / 360, Double.pi / 360)
    let (across, along) = (sin(half), sin((latitude - origin.latitude) * radians))
    let (beyond, middle) = (cos(half), sin((latitude + origin.latitude) * radians))
    let cosines = cosine * GlobeDistance.cosine(latitude)
    let near = along * along + cosines * across * across
    let far = middle * middle + cosines * beyond * beyond
    return 2 * Geodesy.earthRadius * atan2(near.squareRoot(), far.squareRoot())
  }

  /// The cosine of a latitude in degrees, exactly 0 at the poles, which are one place whatever the longitude.
  private static func cosine(_ latitude: Double) -> Double {
    latitude.magnitude >= 90 ? 0 : cos(latitude * .pi / 180)
  }

  /// The degrees to a longitude the shorter way round, 0…180. Longitudes may be a little beyond ±180.
  private func difference(to longitude: Double) -> Double {
    let difference = (longitude - origin.longitude).magnitude
    return difference > 180 ? max(360 - difference, 0) : difference
  }

  // MARK: Rectangles

  /// More than the errors of distances.
  private static let slack = 1e-6

  /// Returns a lower bound of the distances, as they are computed, of a rectangle's coordinates in metres. It is less
  /// than the shortest by no more than ``slack`` and its errors.
  func least(to rectangle: GeoBounds) -> Double {
    let (south, north) = (rectangle.south, rectangle.north)
    // On each parallel a place is the farther, the farther its longitude is.
    let across = difference(to: rectangle)
    let nearest: Double
    if across == 0 {
      nearest = metres(
        toLatitude: min(max(origin.latitude, south), north), acrossLongitudes: 0)
    } else {
      // The place of the meridian's great circle that is nearest. Off it, distances grow both ways.
      let latitude = origin.latitude * .pi / 180
      let foot = atan2(sin(latitude), cosine * cos(across * .pi / 180)) * 180 / .pi
      if foot >= south && foot <= north {
        nearest = metres(toLatitude: foot, acrossLongitudes: across)
      } else {
        nearest = min(
          metres(toLatitude: max(south, -90), acrossLongitudes: across),
          metres(toLatitude: min(north, 90), acrossLongitudes: across))
      }
    }
    return max(nearest * (1 - 1e-12) - GlobeDistance.slack, 0)
  }

  /// The distances from the other side of the Earth, which are ``longest`` less those from here.
  var opposite: GlobeDistance {
    let longitude = origin.longitude + (origin.longitude > 0 ? -180 : 180)
    return GlobeDistance(from: Coordinate(latitude: -origin.latitude, longitude: longitude))
  }

  /// The degrees to the nearest longitude of a rectangle.
  private func difference(to rectangle: GeoBounds) -> Double {
    let (west, east) = (rectangle.west, rectangle.east)
    for turn in [0.0, 360, -360]
    where origin.longitude + turn >= west
      && origin.longitude + turn <= east
    {
      return 0
    }
    return min(difference(to: west), difference(to: east))
  }
}

/// The places on the globe within some distance of one, ends included.
public struct GlobeDisc: Hashable, Sendable, BitwiseCopyable {
  /// The distances from its centre.
  public let centre: GlobeDistance
  /// The longest distance in metres.
  public let metres: Double
  private let opposite: GlobeDistance

  /// Creates the disc around a coordinate on Earth.
  public init(around centre: Coordinate, metres: Double) {
    (self.centre, self.metres) = (GlobeDistance(from: centre), metres)
    opposite = self.centre.opposite
  }

  /// Returns exactly whether a coordinate is within.
  func contains(_ place: Coordinate) -> Bool { centre.metres(to: place) <= metres }

  /// Returns whether all coordinates within some metres of one are within; nil if that isn't certain.
  func contains(allNear place: Coordinate, metres slack: Double) -> Bool? {
    let distance = centre.metres(to: place)
    if distance + slack <= metres { return true }
    return distance - slack > metres ? false : nil
  }

  /// Returns how much of a rectangle is within. `.partial` is always a correct answer.
  func coverage(of rectangle: GeoBounds) -> Coverage {
    if centre.least(to: rectangle) > metres { return .outside }
    // A place near the antipode is far from the centre.
    return GlobeDistance.longest - opposite.least(to: rectangle) <= metres ? .inside : .partial
  }
}
