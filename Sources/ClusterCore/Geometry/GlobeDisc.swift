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
