/// A position on MapKit's square world, in map points; see ``WebMercator``.
public struct MapPoint: Hashable, Sendable {
  /// Map points east of 180° W.
  public var x: Double
  /// Map points south of the northern edge.
  public var y: Double

  /// Creates a map point without checking or wrapping it.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
