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
      check(positions.pointer[place] == Position(sent), "position of \(place)")
      guard place > 0 else { continue }
      let (before, here) = (positions.pointer[place - 1].zOrder, positions.pointer[place].zOrder)
      check(
        before < here || (before == here && self.record(at: place - 1).id < record.id),
        "order of \(place)")
    }
    let ranks = (0..<count).map { Int(byID.pointer[$0]) }
    check(ranks.sorted() == Array(0..<count), "byID is no permutation")
    for (a, b) in zip(ranks, ranks.dropFirst()) {
      check(record(at: a).id < record(at: b).id, "byID is not in order")
    }
    if tree.count == 0 {
      check(count == 0, "no nodes")
    } else {
      check(view.points(of: 0) == 0..<count, "the root holds \(view.points(of: 0))")
    }
    for node in 0..<tree.count { for text in violations(ofNode: node) { check(false, text) } }
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
    let points = view.points(of: node)
    guard let first = points.first else { return ["node \(node) is empty"] }
    var box = PositionBox(positions.pointer[first])
    var (latitudes, longitudes, bounds) = (Int64(0), Int64(0), GeoBounds.empty)
    var locations: Set<Location> = []
    for place in points {
      box.formUnion(PositionBox(positions.pointer[place]))
      let coordinate = coordinate(at: place)
      latitudes += FixedDegrees.fixed(coordinate.latitude)
      longitudes += FixedDegrees.fixed(coordinate.foldedLongitude)
      bounds.formUnion(GeoBounds(coordinate))
      locations.insert(positions.pointer[place].location)
    }
    let (own, sum) = (tree.nodes.pointer[node], tree.aggregates.pointer[node])
    check(
      own.box.minX == box.minX && own.box.minY == box.minY && own.box.maxX == box.maxX
        && own.box.maxY == box.maxY, "box")
    check(sum.bounds == bounds, "bounds")
    check(sum.latitudes == latitudes && sum.longitudes == longitudes, "sums")
    check(Int(sum.locations) == locations.count, "locations")
    if own.isLeaf {
      let isOnePosition = box.minX == box.maxX && box.minY == box.maxY
      check(points.count <= Quadtree.leafCapacity || isOnePosition, "size of the leaf")
      return found
    }
    // The children follow each other without a gap, each in a quadrant of its own.
    var end = points.lowerBound
    for child in own.children {
      check(view.points(of: child).lowerBound == end, "beginning of a child")
      end = view.points(of: child).upperBound
    }
    check(end == points.upperBound, "end of the children")
    check((2...4).contains(own.children.count), "\(own.children.count) children")
    return found
  }
}
