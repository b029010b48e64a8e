/// The distance method: the connected components of features of which any two within a radius are
/// linked (DBSCAN with a minimum of one point).
struct ComponentClusterer {
  /// The features that count.
  let points: PointIndex
  /// In map points.
  let radius: Double
  /// Places of features that are linked to none.
  var keptApart = OrdinalSet([])
  /// The most components.
  var limit = 10_000
  /// The most work, in units of about a nanosecond.
  var work = WorkBudget.standard

  /// The components, in index order of their first features.
  func run() throws(MethodLimit) -> Components {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    return try ComponentCollector.components(of: try joined(), limit: limit)
  }

  /// Whether all features are one component, or there are none.
  func isOneComponent() throws(MethodLimit) -> Bool {
    let points = self.points
    defer { withExtendedLifetime(points) {} }
    let join = try joined()
    // The root is whole as soon as everything in it is united.
    return points.count == 0 || (join.states[0] == .whole && keptApart.isEmpty)
  }

  private func joined() throws(MethodLimit) -> LinkJoin {
    var join = LinkJoin(
      points.pointers, LinkDistance(radius: radius), keptApart: keptApart,
      budget: WorkBudget(work))
    join.run()
    guard !join.budget.isSpent else { throw .work }
    return join
  }
}
