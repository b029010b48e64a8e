import ClusterCore
import Glibc

/// The contract by brute force: an independent second implementation, straight from the formulas,
/// that tests compare the service with. It looks at every feature for every question.
public struct Twin: Sendable {
  /// A feature and what the formulas say about it.
  public struct Placed: Sendable {
    /// The feature.
    public let feature: TwinFeature
    /// Map points east of 180°W, in 0..<W.
    public let x: Double
    /// Map points south of the northern edge, in 0..<W.
    public let y: Double
    /// Its key on the Z-order curve.
    public let zOrder: UInt64
    /// The level-23 cell that holds it.
    public let location: Location
    /// How many features share its coordinate, itself included.
    public internal(set) var contested = 1
    /// Which of them it is, from 0.
    public internal(set) var turn = 0
    /// Its properties, where the twin has parsed them beforehand.
    public internal(set) var parsed: TestJSON?

    /// A property's value, nil if it is missing.
    public func value(_ name: String) -> TestJSON? {
      if let parsed { parsed[name] } else { feature.property(name) }
    }
  }

  /// A quadtree cell of level 23.
  public struct Location: Hashable, Sendable {
    /// The column, 0..<2^23.
    public let column: Int
    /// The row, 0..<2^23.
    public let row: Int
  }

  /// W, the size of the world in map points.
  public static let worldSize = 268_435_456.0
  /// The size of a location in map points.
  public static let locationSize = 32.0
  /// The mean radius of the Earth that the contract uses, in metres.
  public static let earthRadius = 6_378_100.0

  /// All features in index order.
  public let placed: [Placed]

  /// Takes the features in any order; their ids must differ. With `parsing` it reads all properties
  /// now rather than at each look.
  public init(_ features: [TwinFeature], parsing: Bool = false) {
    var placed = features.map(Twin.placed)
    placed.sort { a, b in
      a.zOrder != b.zOrder ? a.zOrder < b.zOrder : a.feature.id < b.feature.id
    }
    if parsing {
      for index in placed.indices {
        placed[index].parsed = (try? TestJSON(parsing: placed[index].feature.properties ?? "{}"))
      }
    }
    self.init(inOrder: placed)
  }

  /// Takes features that are in index order and counts those that share a coordinate.
  init(inOrder features: [Placed]) {
    var placed = features
    var sharing: [Coordinate: [Int]] = [:]
    for (index, one) in placed.enumerated() {
      sharing[one.feature.coordinate, default: []].append(index)
    }
    for indices in sharing.values {
      for (turn, index) in indices.enumerated() {  // ascending, and so by id
        placed[index].contested = indices.count
        placed[index].turn = turn
      }
    }
    self.placed = placed
  }

  /// The features in index order.
  public var features: [TwinFeature] { placed.map(\.feature) }

  /// The twin of those features alone that a filter lets pass.
  public func filtered(by filter: TwinFilter?) -> Twin {
    guard let filter else { return self }
    return Twin(inOrder: placed.filter { filter.passes($0.value) })
  }

  /// The features in index order.
  public static func indexOrder(_ features: [TwinFeature]) -> [TwinFeature] {
    Twin(features).features
  }

  /// The map point of a coordinate, section 1. 180 is x = 0.
  public static func project(_ coordinate: Coordinate) -> (x: Double, y: Double) {
    (eastOf(coordinate.longitude), southOf(coordinate.latitude))
  }

  static func eastOf(_ longitude: Double) -> Double {
    if longitude == 180 { return 0 }
    // A hair under 180 the formula rounds to W: that is the last column, not the first.
    return min(worldSize.nextDown, (longitude + 180) / 360 * worldSize)
  }

  static func southOf(_ latitude: Double) -> Double {
    let phi = min(85.051_128_78, max(-85.051_128_78, latitude)) * .pi / 180
    let y = (0.5 - log((1 + sin(phi)) / (1 - sin(phi))) / (4 * .pi)) * worldSize
    return min(worldSize.nextDown, max(0, y))
  }

  /// The coordinate of a map point: the inverse of the projection.
  public static func unproject(x: Double, y: Double) -> Coordinate {
    let latitude = atan(sinh((0.5 - y / worldSize) * 2 * .pi)) * 180 / .pi
    return Coordinate(latitude: latitude, longitude: x / worldSize * 360 - 180)
  }

  /// The location of a coordinate.
  public static func location(_ coordinate: Coordinate) -> Location {
    let (x, y) = project(coordinate)
    return Location(column: Int(floor(x / locationSize)), row: Int(floor(y / locationSize)))
  }

  /// The key of a map point on the Z-order curve: bit by bit, x below y.
  public static func zOrder(x: Double, y: Double) -> UInt64 {
    let (column, row) = (UInt64(floor(x * 16)), UInt64(floor(y * 16)))
    var key: UInt64 = 0
    for bit in 0..<UInt64(32) {
      key |= (column >> bit & 1) << (2 * bit)
      key |= (row >> bit & 1) << (2 * bit + 1)
    }
    return key
  }

  private static func placed(_ feature: TwinFeature) -> Placed {
    let (x, y) = project(feature.coordinate)
    return Placed(
      feature: feature, x: x, y: y, zOrder: zOrder(x: x, y: y),
      location: location(feature.coordinate))
  }
}
