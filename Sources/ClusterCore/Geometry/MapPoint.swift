/// A position on MapKit's square Web-Mercator world, in map points: the world is
/// ``WebMercator/worldSize`` wide and high, x runs east from 180° W, y south from the northern edge.
public struct MapPoint: Hashable, Sendable {
  /// Map points east of 180° W.
  public var x: Double
  /// Map points south of the northern edge.
  public var y: Double

  /// Creates a map point; nothing is checked or wrapped.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
