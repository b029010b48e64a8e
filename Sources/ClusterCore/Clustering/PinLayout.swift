/// Places pins of features that share a coordinate around it.
///
/// If n > 1 features share a coordinate, pin i = 0…n−1 in index order is on a circle `d·n/2` from it at a
/// bearing of `2π·i/n`, or on a spiral `d·√(i+½)` from it at a bearing of `i·137.50776405°`.
public struct PinLayout {
  /// The default of the distance d.
  public static let defaultDistance: Double = 3
  /// The distances that are accepted.
  public static let distances: ClosedRange<Double> = 0...1000

  private let scope: FeatureScope
  private let spread: PinSpread
  /// The ordinals in the scope of features that are treated as if they didn't exist.
  private let excluded: OrdinalSet
  /// The ordinals in the scope of all features at the position that was requested last.
  private var ordinals: [Int] = []
  /// The rank of each of these features among those with the same coordinate.
  private var ranks: [Int] = []
  /// The number of these features at each coordinate.
  private var totals: [Coordinate: Int] = [:]

  /// Creates the layout of a scope's pins.
  public init(_ scope: FeatureScope, _ spread: PinSpread) {
    self.init(scope, spread, excluding: OrdinalSet([]))
  }

  /// Creates the layout of pins as if the excluded features didn't exist. Their own pins must not be
  /// requested.
  init(_ scope: FeatureScope, _ spread: PinSpread, excluding excluded: OrdinalSet) {
    self.scope = scope
    self.spread = spread
    self.excluded = excluded
  }

  /// Returns the coordinate of a feature's pin and the number of features that share its coordinate.
  ///
  /// - Parameter ordinal: The feature's ordinal in the collection.
  /// - Complexity: O(n) for the first of n features at the same position, then O(log n).
  public mutating func pin(at ordinal: Int) -> (coordinate: Coordinate, contested: Int) {
    let origin = scope.index.coordinate(at: ordinal)
    guard let ordinal = scope.scopeOrdinal(ordinal) else { return (origin, 1) }
    if ordinals.sortedIndex(of: ordinal) == nil {
      load(scope.points.ordinalsOfEqualPosition(as: ordinal))
    }
    guard ordinals.count > 1, let contested = totals[origin], contested > 1,
      let number = ordinals.sortedIndex(of: ordinal)
    else { return (origin, 1) }
    return (spread.place(of: ranks[number], of: contested, around: origin), contested)
  }

  /// Loads the features at a position, which may have different coordinates a few centimetres apart.
  private mutating func load(_ ordinals: [Int]) {
    self.ordinals = ordinals
    totals.removeAll(keepingCapacity: true)
    ranks.removeAll(keepingCapacity: true)
    guard ordinals.count > 1 else { return }
    for ordinal in ordinals {
      let rank = totals[scope.points.coordinate(at: ordinal), default: 0]
      ranks.append(rank)
      if !excluded.contains(ordinal) { totals[scope.points.coordinate(at: ordinal)] = rank + 1 }
    }
  }
}

extension Annotation {
  /// Moves the pin of a feature, given by its ordinal in the collection, to its place in a layout.
  mutating func spread(by layout: inout PinLayout, of ordinal: Int) {
    let (place, contested) = layout.pin(at: ordinal)
    spread = Spread(originalCoordinate: coordinate, contested: contested)
    coordinate = place
  }
}
