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
      points.view, LinkDistance(radius: radius), keptApart: keptApart,
      budget: WorkBudget(work))
    join.run()
    guard !join.budget.isSpent else { throw .work }
    return join
  }
}

/// How far one point of a map reaches at a zoom, in map points.
enum MapScale {
  static func mapPointsPerPoint(zoom: Double) -> Double {
    WebMercator.worldSize / (256 * exponential2(zoom))
  }
}

/// The zooms at which a cluster may come apart.
enum ExpansionZoom {
  static let last = 24

  /// The smallest integer zoom above another, from 0 up to ``last``, at which something no longer holds
  /// that, once it doesn't, doesn't at any later one either; nil if there is none.
  static func first<E: Error>(
    above zoomLevel: Double, where holdsNoMore: (Int) throws(E) -> Bool
  ) throws(E) -> Int? {
    var low = max(0, Int(zoomLevel.rounded(.down)) + 1)
    var high = last + 1
    while low < high {
      let middle = low + (high - low) / 2
      if try holdsNoMore(middle) { high = middle } else { low = middle + 1 }
    }
    return low <= last && high == low ? low : nil
  }

  /// That of a component of the distance method, given the index of its features only.
  static func ofComponent(
    _ features: PointIndex, epsilon: Double, above zoomLevel: Double
  ) throws(MethodLimit) -> Int? {
    try first(above: zoomLevel) { (zoom) throws(MethodLimit) in
      let radius = epsilon * MapScale.mapPointsPerPoint(zoom: Double(zoom))
      return try !ComponentClusterer(points: features, radius: radius).isOneComponent()
    }
  }
}
