@testable import ClusterCore

extension FeatureIndex {
  /// What is wrong inside, as sentences; empty for a sound index. Everything is computed anew from
  /// the records.
  func violations() -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
      if !holds && found.count < 20 { found.append(what()) }
    }
    for place in 0..<count {
      let record = record(at: place)
      let (stored, sent) = (coordinate(at: place), record.coordinate)
      check(
        stored.latitude.bitPattern == sent.latitude.bitPattern
          && stored.longitude.bitPattern == sent.longitude.bitPattern, "coordinate of \(place)")
      check(points.positions.pointer[place] == Position(sent), "position of \(place)")
      guard place > 0 else { continue }
      let (before, here) = (
        points.positions.pointer[place - 1].zOrder, points.positions.pointer[place].zOrder
      )
      check(
        before < here || (before == here && self.record(at: place - 1).id < record.id),
        "order of \(place)")
    }
    let ranks = (0..<count).map { Int(byID.pointer[$0]) }
    check(ranks.sorted() == Array(0..<count), "byID is no permutation")
    for (a, b) in zip(ranks, ranks.dropFirst()) {
      check(record(at: a).id < record(at: b).id, "byID is not in order")
    }
    if points.tree.count == 0 {
      check(count == 0, "no nodes")
    } else {
      check(points.view.points(of: 0) == 0..<count, "the root holds \(points.view.points(of: 0))")
    }
    for node in 0..<points.tree.count {
      for text in violations(ofNode: node) { check(false, text) }
    }
    check(
      records.liveBytes == (0..<count).reduce(0) { $0 + record(at: $1).size },
      "\(records.liveBytes) live bytes")
    return found
  }

  /// One node: its children cover it, its box and bounds are tight, its sums are right.
  private func violations(ofNode node: Int) -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: String) {
      if !holds { found.append("\(what) of node \(node)") }
    }
    let places = points.view.points(of: node)
    guard let first = places.first else { return ["node \(node) is empty"] }
    var box = PositionBox(points.positions.pointer[first])
    var (latitudes, longitudes, bounds) = (Int64(0), Int64(0), GeoBounds.empty)
    var locations: Set<Location> = []
    for place in places {
      box.formUnion(PositionBox(points.positions.pointer[place]))
      let coordinate = coordinate(at: place)
      latitudes += FixedDegrees.fixed(coordinate.latitude)
      longitudes += FixedDegrees.fixed(coordinate.foldedLongitude)
      bounds.formUnion(GeoBounds(coordinate))
      locations.insert(points.positions.pointer[place].location)
    }
    let (own, sum) = (points.tree.nodes.pointer[node], points.tree.aggregates.pointer[node])
    check(
      own.box.minX == box.minX && own.box.minY == box.minY && own.box.maxX == box.maxX
        && own.box.maxY == box.maxY, "box")
    check(sum.bounds == bounds, "bounds")
    check(sum.latitudes == latitudes && sum.longitudes == longitudes, "sums")
    check(Int(sum.locations) == locations.count, "locations")
    if own.isLeaf {
      let isOnePosition = box.minX == box.maxX && box.minY == box.maxY
      check(places.count <= Quadtree.leafCapacity || isOnePosition, "size of the leaf")
      return found
    }
    // The children follow each other without a gap, each in a quadrant of its own.
    var end = places.lowerBound
    for child in own.children {
      check(points.view.points(of: child).lowerBound == end, "beginning of a child")
      end = points.view.points(of: child).upperBound
    }
    check(end == places.upperBound, "end of the children")
    check((2...4).contains(own.children.count), "\(own.children.count) children")
    return found
  }
}
