/// A quadtree cell of level 23, 32 map points wide: about 4.8 m at the equator. Two features are at
/// the same location when they fall into the same one.
public struct Location: Hashable, Sendable, BitwiseCopyable {
  /// 0 at 180° W … 2^23 − 1.
  public var column: UInt32
  /// 0 in the north … 2^23 − 1.
  public var row: UInt32

  /// Locations along an axis of the world.
  public static let perWorld: UInt32 = 1 << 23

  /// Creates a location from its column and row.
  public init(column: UInt32, row: UInt32) {
    self.column = column
    self.row = row
  }
}
