/// The distance method: the connected components of the features, of which any two within a radius are
/// linked (DBSCAN with a minimum of one point).
struct ComponentClusterer {
  /// The features to cluster.
  let points: PointIndex
  /// The radius in map points.
  let radius: Double
  /// The ordinals of features that are linked to no other.
  var keptApart = OrdinalSet([])
  /// The maximum number of components.
  var limit = 10_000
  /// The maximum work, in units of about a nanosecond.
  var work = WorkBudget.standard

  /// Returns the components, in index order of their first features.
  func run() throws(MethodLimit) -> Components {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    return try ComponentCollector.components(of: try joined(), limit: limit)
  }

  /// Whether there is at most one component.
  func isOneComponent() throws(MethodLimit) -> Bool {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    let join = try joined()
    // The root is whole once all of its features are united.
    return points.count == 0 || (join.states[0] == .whole && keptApart.isEmpty)
  }

  /// Whether any other feature is linked to one that isn't kept apart, however much work it takes to tell.
  func isLinked(_ ordinal: Int) -> Bool {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    var join = join(WorkBudget(.max))
    return join.isLinked(ordinal, toPointsOf: 0)
  }

  private func join(_ budget: WorkBudget) -> LinkJoin {
    LinkJoin(points.pointers, LinkDistance(radius: radius), keptApart: keptApart, budget: budget)
  }

  private func joined() throws(MethodLimit) -> LinkJoin {
    var join = join(WorkBudget(work))
    join.run()
    guard !join.budget.isSpent else { throw .work }
    return join
  }
}
