import Glibc

/// Places pins that contest one coordinate on a circle around it.
///
/// Of n > 1 features that share a coordinate, pin i = 0…n−1 in index order lies `d·n/2` metres from
/// it on bearing `2π·i/n`: the circle grows with its pins, so that neighbours stay about `π·d` apart.
public struct PinLayout {
  /// The distance d that is used unless a request says otherwise, in metres.
  public static let defaultDistance: Double = 3
  /// The distances that are accepted, in metres.
  public static let distances: ClosedRange<Double> = 0...1000

  private let scope: FeatureScope
  private let distance: Double
  /// Places in the scope of features that are no part of what is looked at and contest nothing.
  private let excluded: OrdinalSet
  /// The features at one position that were looked at last, by place, and what was found of each.
  private var places: [Int] = []
  private var ranks: [Int] = []
  private var totals: [Coordinate: Int] = [:]

  /// Spreads the features of a scope by a distance in metres.
  public init(_ scope: FeatureScope, distance: Double) {
    self.init(scope, distance: distance, excluding: OrdinalSet([]))
  }

  /// As above, as if some features didn't exist; their own pins are not to be asked for.
  init(_ scope: FeatureScope, distance: Double, excluding excluded: OrdinalSet) {
    self.scope = scope
    self.distance = distance
    self.excluded = excluded
  }

  /// The coordinate of a feature's pin, and how many features contest its coordinate; by its place in
  /// the collection. Linear in the features at the same position, once for all of them when asked in
  /// index order.
  public mutating func pin(at place: Int) -> (coordinate: Coordinate, contested: Int) {
    let origin = scope.index.coordinate(at: place)
    guard let place = scope.scopeOrdinal(place) else { return (origin, 1) }
    if places.sortedIndex(of: place) == nil {
      load(scope.points.ordinalsOfEqualPosition(as: place))
    }
    guard places.count > 1, let contested = totals[origin], contested > 1,
      let number = places.sortedIndex(of: place)
    else { return (origin, 1) }
    let bearing = 2 * Double.pi * Double(ranks[number]) / Double(contested)
    let radius = distance * Double(contested) / 2
    guard radius > 0 else {
      // Where the formula leaves it, without its rounding.
      let longitude = Geodesy.normalisedLongitude(origin.longitude)
      return (Coordinate(latitude: origin.latitude, longitude: longitude), contested)
    }
    return (Geodesy.destination(from: origin, distance: radius, bearing: bearing), contested)
  }

  /// Features of one position may have different coordinates, a few centimetres apart.
  private mutating func load(_ places: [Int]) {
    self.places = places
    totals.removeAll(keepingCapacity: true)
    ranks.removeAll(keepingCapacity: true)
    guard places.count > 1 else { return }
    for place in places {
      let rank = totals[scope.points.coordinate(at: place), default: 0]
      ranks.append(rank)
      if !excluded.contains(place) { totals[scope.points.coordinate(at: place)] = rank + 1 }
    }
  }
}
