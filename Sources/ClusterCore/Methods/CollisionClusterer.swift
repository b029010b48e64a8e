/// The collision method: features in order of priority each take the place of a box, join a placed
/// box that they overlap, or are hidden.
struct CollisionClusterer {
  /// The cluster key of features that join no cluster.
  static let noKey = UInt32.max

  /// The features that count.
  let points: PointIndex
  /// Of a box, in map points.
  let width: Double
  let height: Double
  /// By place: below 0 is 0, above 1000 is 1000, NaN is 500; nil: all the same.
  var priorities: [Double]?
  /// By place, ``noKey`` where there is none; nil: none has one.
  var clusterKeys: [UInt32]?
  /// By place; features of different groups never join. nil: all are in one.
  var groups: [UInt32]?
  /// Places of features that are placed first and take none in.
  var keptApart = OrdinalSet([])
  /// The most boxes.
  var limit = 10_000
  /// The most work, in units of about a nanosecond.
  var work = WorkBudget.standard

  func run() throws(MethodLimit) -> Collisions {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    var placement = CollisionPlacement(self)
    try placement.run()
    return placement.result
  }
}
