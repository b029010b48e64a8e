/// The sums over a node's points, kept apart from the node's ``Quadtree/Node/box``.
struct NodeSum: BitwiseCopyable {
  /// The sum of their x, in steps.
  var longitudes: UInt64 = 0
  /// The sum of their latitudes in units of ``FixedDegrees``; see ``StepDegrees``.
  var latitudes: Int64 = 0
  /// The number of distinct locations.
  var locations: UInt32 = 0
  /// The number of points.
  var count: UInt32 = 0
  /// Pads the sum to half a cache line.
  private var padding: UInt64 = 0

  mutating func add(_ other: NodeSum) {
    count += other.count
    latitudes &+= other.latitudes
    longitudes &+= other.longitudes
    locations += other.locations
  }
}
