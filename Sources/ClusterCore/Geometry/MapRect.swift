/// A rectangle in map points. It may reach past the world: then x wraps and y is cut off.
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

  /// The rectangle grown by a share of its width on the left and on the right, and of its height at
  /// the top and at the bottom.
  public func grown(by factor: Double) -> MapRect {
    let (dx, dy) = (width * factor, height * factor)
    return MapRect(x: x - dx, y: y - dy, width: width + 2 * dx, height: height + 2 * dy)
  }
}
