/// A position on the world with 32 bits per axis: `floor(x·2^4)` and `floor(y·2^4)` of a map point.
/// One step is 1/16 of a map point, under 1 cm.
public struct Position: Hashable, Sendable, BitwiseCopyable {
  /// Steps east of 180° W.
  public var x: UInt32
  /// Steps south of the northern edge.
  public var y: UInt32

  /// The number of steps in a map point.
  public static let stepsPerMapPoint: Double = 16

  /// The location that contains the position.
  @inline(__always)
  public var location: Location { Location(column: x >> 9, row: y >> 9) }

  /// Returns whether two positions are in the same square of 2^size steps.
  @inline(__always)
  func isInQuadrant(of other: Position, size: UInt32) -> Bool {
    x &>> size == other.x &>> size && y &>> size == other.y &>> size
  }
}

extension Position {
  /// Creates the position of a map point. Points beyond the world are moved to its edge.
  public init(_ point: MapPoint) {
    self.init(x: Position.steps(point.x), y: Position.steps(point.y))
  }

  /// Creates the position of a coordinate: that of the map point that ``WebMercator/project(_:)`` gives.
  public init(_ coordinate: Coordinate) {
    self.init(
      x: Position.steps(WebMercator.x(longitude: coordinate.foldedLongitude)),
      y: LatitudeSteps.shared.step(of: coordinate.latitude))
  }

  static func steps(_ mapPoints: Double) -> UInt32 {
    UInt32(min(max(mapPoints * stepsPerMapPoint, 0), 4_294_967_295))
  }

  /// The key on the Z-order curve: the bits of x and y interleaved, with that of x as the lower of each
  /// pair.
  public var zOrder: UInt64 { Position.spread(x) | Position.spread(y) << 1 }

  /// The bits in which two positions differ. Of positions in order, it grows with the size of the largest square of the quadtree
  /// that parts them.
  @inline(__always)
  func difference(from other: Position) -> Position {
    Position(x: x ^ other.x, y: y ^ other.y)
  }

  /// Inserts a zero bit above each bit.
  private static func spread(_ value: UInt32) -> UInt64 {
    var v = UInt64(value)
    v = (v | v << 16) & 0x0000_FFFF_0000_FFFF
    v = (v | v << 8) & 0x00FF_00FF_00FF_00FF
    v = (v | v << 4) & 0x0F0F_0F0F_0F0F_0F0F
    v = (v | v << 2) & 0x3333_3333_3333_3333
    v = (v | v << 1) & 0x5555_5555_5555_5555
    return v
  }
}

extension Position: Comparable {
  /// The order along the Z-order curve, that of ``zOrder``.
  @inline(__always)
  public static func < (a: Position, b: Position) -> Bool {
    // The highest bit in which they differ decides. That of y is above that of x in the same place. Which axis it is on can't be
    // predicted, so there is no branch for that.
    let (x, y) = (a.x ^ b.x, a.y ^ b.y)
    let byX: UInt32 = x & ~y > y ? .max : 0
    return a.x & byX | a.y & ~byX < b.x & byX | b.y & ~byX
  }
}

/// A quadtree cell of level 23. It is 32 map points wide, about 4.8 m at the equator. Features in
/// the same cell count as being at the same location.
public struct Location: Hashable, Sendable, BitwiseCopyable {
  /// The column, from 0 at 180° W to 2^23 − 1.
  public var column: UInt32
  /// The row, from 0 in the north to 2^23 − 1.
  public var row: UInt32

  /// The number of locations along an axis of the world.
  public static let perWorld: UInt32 = 1 << 23
}
