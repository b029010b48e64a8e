import Glibc

/// Places pins that contest one coordinate on a circle around it.
///
/// Of n > 1 features that share a coordinate, pin i = 0…n−1 in index order lies `d·n/2` metres from
/// it on bearing `2π·i/n`: the circle grows with its pins, so that neighbours stay about `π·d` apart.
public struct Spreading {
  /// The distance d that is used unless a request says otherwise, in metres.
  public static let defaultDistance: Double = 3
  /// The distances that are accepted, in metres.
  public static let distances: ClosedRange<Double> = 0...1000

  private let scope: FeatureScope
  private let distance: Double
  /// Places in the scope of features that are no part of what is looked at and contest nothing.
  private let excluded: PlaceSet
  /// The run of features at one position that was looked at last, and what was found there.
  private var run: Range<Int> = 0..<0
  private var ranks: [Int] = []
  private var totals: [Coordinate: Int] = [:]

  /// Spreads the features of a scope by a distance in metres.
  public init(_ scope: FeatureScope, distance: Double) {
    self.init(scope, distance: distance, excluding: PlaceSet([]))
  }

  /// As above, as if some features didn't exist; their own pins are not to be asked for.
  init(_ scope: FeatureScope, distance: Double, excluding excluded: PlaceSet) {
    self.scope = scope
    self.distance = distance
    self.excluded = excluded
  }

  /// The coordinate of a feature's pin, and how many features contest its coordinate; by its place in
  /// the collection. Linear in the features at the same position, once for all of them when asked in
  /// index order.
  public mutating func pin(at place: Int) -> (coordinate: Coordinate, contested: Int) {
    let origin = scope.index.coordinate(at: place)
    guard let place = scope.scopePlace(place) else { return (origin, 1) }
    if !run.contains(place) { load(scope.points.runOfEqualPositions(around: place)) }
    guard run.count > 1, let contested = totals[origin], contested > 1 else { return (origin, 1) }
    let bearing = 2 * Double.pi * Double(ranks[place - run.lowerBound]) / Double(contested)
    let radius = distance * Double(contested) / 2
    guard radius > 0 else {
      // Where the formula leaves it, without its rounding.
      let longitude = Geodesy.normalisedLongitude(origin.longitude)
      return (Coordinate(latitude: origin.latitude, longitude: longitude), contested)
    }
    return (Geodesy.destination(from: origin, distance: radius, bearing: bearing), contested)
  }

  /// Features of one position may have different coordinates, a few centimetres apart.
  private mutating func load(_ range: Range<Int>) {
    run = range
    totals.removeAll(keepingCapacity: true)
    ranks.removeAll(keepingCapacity: true)
    guard range.count > 1 else { return }
    for place in range {
      let rank = totals[scope.points.coordinate(at: place), default: 0]
      ranks.append(rank)
      if !excluded.contains(place) { totals[scope.points.coordinate(at: place)] = rank + 1 }
    }
  }
}

extension PointIndex {
  /// The places of all features at the position of one of them.
  func runOfEqualPositions(around place: Int) -> Range<Int> {
    withExtendedLifetime(self) {
      let positions = self.positions.pointer
      let position = positions[place]
      let key = position.zOrder
      // Doubling steps, then binary search: cheap for the usual run of one.
      func bound(_ low: Int, _ high: Int, _ isBefore: (UInt64) -> Bool) -> Int {
        var (low, high) = (low, high)
        while low < high {
          let middle = (low + high) / 2
          if isBefore(positions[middle].zOrder) { low = middle + 1 } else { high = middle }
        }
        return low
      }
      var step = 1
      var (start, end) = (place, place + 1)
      while start > 0 && positions[start - 1] == position {
        start = max(0, start - step)
        step *= 2
      }
      step = 1
      while end < count && positions[end] == position {
        end = min(count, end + step)
        step *= 2
      }
      return bound(start, place, { $0 < key })..<bound(place + 1, end, { $0 <= key })
    }
  }
}
