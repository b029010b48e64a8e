/// Where features are: their positions and coordinates in index order under a ``Quadtree``. All that
/// searching and clustering look at; of a whole collection, or of some of its features.
///
/// Features are addressed by their place in index order, 0..<``count``.
public final class PointIndex: Sendable {
  /// The number of features.
  public let count: Int
  let positions: FixedArray<Position>
  let coordinates: FixedArray<Coordinate>
  let tree: Quadtree

  /// Builds the tree over positions in Z-order and their coordinates. O(n).
  init(positions: FixedArray<Position>, coordinates: FixedArray<Coordinate>) {
    count = coordinates.count
    self.positions = positions
    self.coordinates = coordinates
    tree = QuadtreeBuilder.build(
      positions: positions.pointer, coordinates: coordinates.pointer, count: count)
  }

  /// As above.
  ///
  /// - Parameter keyMemory: begins with the points' places on the Z-order curve, in ascending order,
  ///   64 bits each; it is taken over for their positions.
  convenience init(keyMemory: LargeMemory, coordinates: FixedArray<Coordinate>) {
    let keys = FixedArray<UInt64>(keyMemory, count: coordinates.count)
    for place in 0..<keys.count {
      let position = Position(zOrder: keys.pointer[place])
      keyMemory.start.storeBytes(of: position, toByteOffset: place &* 8, as: Position.self)
    }
    self.init(
      positions: FixedArray(keyMemory, count: coordinates.count), coordinates: coordinates)
  }

  /// The index of some of another's points, given by their places there in ascending order. O(n).
  convenience init(selecting places: FixedArray<UInt32>, of other: PointIndex) {
    let count = places.count
    let positions = FixedArray<Position>(uninitialized: count)
    let coordinates = FixedArray<Coordinate>(uninitialized: count)
    for index in 0..<count {
      let place = Int(places.pointer[index])
      positions.pointer[index] = other.positions.pointer[place]
      coordinates.pointer[index] = other.coordinates.pointer[place]
    }
    self.init(positions: positions, coordinates: coordinates)
  }

  /// The memory it takes, in bytes.
  public var byteCount: Int { positions.byteCount + coordinates.byteCount + tree.byteCount }

  /// The coordinate of the feature at a place.
  @inline(__always)
  public func coordinate(at place: Int) -> Coordinate { coordinates.pointer[place] }

  /// The position of the feature at a place.
  @inline(__always)
  public func position(at place: Int) -> Position { positions.pointer[place] }

  /// The bounds of all features; nil when there are none.
  public var bounds: GeoBounds? { tree.count == 0 ? nil : tree.aggregates.pointer[0].bounds }
}
