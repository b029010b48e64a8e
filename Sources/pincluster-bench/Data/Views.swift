import ClusterCore
import Glibc

/// The viewports of the benchmarks.
enum Views {
  /// The world in `cells` cells a row.
  static func world(cells: Int) throws -> Viewport {
    // N cells of 60 points make a world 60·N points wide. The zoom is rounded up, so that it is not less.
    let zoom = (log2(Double(cells) * 60 / 256) * 1000).rounded(.up) / 1000
    return try Viewport(
      rect: try wholeWorld(), scale: .zoom(zoom), cellSize: 60, marginFactor: 0)
  }

  static func wholeWorld() throws -> MapRect {
    try VisibleRect.bbox(west: -180, south: -90, east: 180, north: 90)
  }

  /// A city and its surroundings on a phone.
  static func city(_ center: Coordinate) throws -> Viewport {
    try Viewport(
      rect: try VisibleRect.region(center: center, latitudeDelta: 0.4, longitudeDelta: 0.4),
      scale: .viewportWidth(375), cellSize: 60, marginFactor: 0.5)
  }
}
