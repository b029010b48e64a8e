/// A rectangle in map points. Where it extends past the world, x wraps around and y is clipped.
public struct MapRect: Hashable, Sendable {
  /// The western edge.
  public var x: Double
  /// The northern edge.
  public var y: Double
  /// The extent eastwards.
  public var width: Double
  /// The extent southwards.
  public var height: Double

  /// Creates a rectangle from its north-western corner and its size.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Returns the rectangle grown on each side by `factor` times its width or height.
  public func grown(by factor: Double) -> MapRect {
    let (dx, dy) = (width * factor, height * factor)
    return MapRect(x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy)
  }
}
