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
