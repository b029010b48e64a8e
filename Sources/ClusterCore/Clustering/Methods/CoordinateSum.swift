/// What the coordinates of some features add up to, exactly.
struct CoordinateSum: BitwiseCopyable, Equatable {
  var count = 0
  /// In units of ``FixedDegrees``; longitude 180 counts as −180.
  var latitudes: Int64 = 0
  var longitudes: Int64 = 0
  var bounds = GeoBounds.empty

  @inline(__always)
  mutating func add(_ coordinate: Coordinate) {
    count &+= 1
    latitudes &+= FixedDegrees.fixed(coordinate.latitude)
    longitudes &+= FixedDegrees.fixed(coordinate.foldedLongitude)
    bounds.formUnion(GeoBounds(coordinate))
  }

  /// Adds all features of a node.
  @inline(__always)
  mutating func add(node: Int, in view: IndexView) {
    let sum = view.aggregates[node]
    count &+= view.points(of: node).count
    latitudes &+= sum.pointee.latitudes
    longitudes &+= sum.pointee.longitudes
    bounds.formUnion(sum.pointee.bounds)
  }
}
