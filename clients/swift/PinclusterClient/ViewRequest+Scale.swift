import Foundation

extension ViewRequest.Scale {
  /// The scale of a map by a segment on the screen, wherever the map is turned and tilted to: the zoom at which so many
  /// points are as long as the segment is on the world. Nil if that isn't a number, as for a segment without length.
  ///
  /// The width of a turned map's `visibleMapRect` is that of a box around what is visible, so that `viewportWidth` would
  /// change the zoom, and all clusters with it, while the map turns.
  ///
  /// - Parameters:
  ///   - points: the length of the segment on the screen, such as 100 through the middle of the map.
  ///   - start: the map point at one end.
  ///   - end: the map point at the other, the shorter way around the world.
  public static func zoom(ofSegment points: Double, from start: MapPoint, to end: MapPoint) -> Self?
  {
    let world = 268_435_456.0
    let east = (end.x - start.x).remainder(dividingBy: world)
    let length = (east * east + (end.y - start.y) * (end.y - start.y)).squareRoot()
    let zoom = log2(world / 256 * points / length)
    return zoom.isFinite ? .zoom(min(max(zoom, 0), 24)) : nil
  }
}
