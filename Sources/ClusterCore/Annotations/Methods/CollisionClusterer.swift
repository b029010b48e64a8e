/// The collision method: in order of priority, each feature places a box, joins a placed box that it
/// overlaps, or is hidden.
struct CollisionClusterer {
  /// The cluster key of features that join no cluster.
  static let noKey = UInt32.max

  let points: PointIndex
  /// The size of a box in map points.
  let width: Double
  let height: Double
  /// The priorities by ordinal, clamped to 0…1000; NaN counts as 500. Nil if all are equal.
  var priorities: [Double]?
  /// The cluster keys by ordinal, ``noKey`` for features without one. Nil if no feature has one.
  var clusterKeys: [UInt32]?
  /// The groups by ordinal; features of different groups never join. Nil if there is only one group.
  var groups: [UInt32]?
  /// The ordinals of features that are placed first and that others don't join.
  var keptApart = OrdinalSet([])
  /// The maximum number of boxes.
  var limit = 10_000
  /// The maximum work, in units of about a nanosecond.
  var work = WorkBudget.standard

  func run() throws(MethodLimit) -> Collisions {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    var placement = CollisionPlacement(self)
    try placement.run()
    return placement.result
  }
}
