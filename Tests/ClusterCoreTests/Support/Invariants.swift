@testable import ClusterCore

extension FeatureIndex {
  /// What is wrong inside, as sentences; empty for a sound index. Everything is computed anew from
  /// the records.
  func violations() -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
      if !holds && found.count < 20 { found.append(what()) }
    }
    let view = points.pointers
    let places = self.places
    check(places.count == count, "\(places.count) places of \(count) features")
    for (place, before) in zip(places, [nil] + places.map { $0 }) {
      let record = record(at: place)
      let (stored, sent) = (coordinate(at: place), record.coordinate)
      check(
        stored.latitude.bitPattern == sent.latitude.bitPattern
          && stored.longitude.bitPattern == sent.longitude.bitPattern, "coordinate of \(place)")
      check(view.positions[place] == Position(sent), "position of \(place)")
      guard let before else { continue }
      let keys = (view.positions[before].zOrder, view.positions[place].zOrder)
      check(
        keys.0 < keys.1 || (keys.0 == keys.1 && self.record(at: before).id < record.id),
        "order of \(place)")
    }
    for block in blocks {
      check((1...blockCapacity).contains(block.count), "a block of \(block.count)")
    }
    var byID: [RecordReference] = []
    directory.forEach {
      byID.append($0)
      return true
    }
    let idCounts = directory.blocks.map(\.count)
    check(idCounts.allSatisfy((1...IDDirectory.capacity).contains), "a block of ids")
    check(byID.count == count, "\(byID.count) ids")
    for (a, b) in zip(byID, byID.dropFirst()) {
      check(records[a].id < records[b].id, "ids are not in order")
    }
    check(Set(byID.map(ordinal(of:))) == Set(places), "ids lead to other places")
    var nodes: [Int] = []
    view.traverse {
      nodes.append($0)
      return .open
    }
    check(nodes.isEmpty == (count == 0), "\(nodes.count) nodes")
    for node in nodes {
      for text in violations(ofNode: node) { check(false, text) }
    }
    check(
      records.liveBytes == places.reduce(0) { $0 + self.record(at: $1).size },
      "\(records.liveBytes) live bytes")
    return found
  }

  /// One node: its children cover it, its box and bounds are tight, its sums are right.
  private func violations(ofNode node: Int) -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: String) {
      if !holds { found.append("\(what) of node \(node)") }
    }
    let view = points.pointers
    var places: [Int] = []
    _ = view.forEachRun(of: node) {
      places += $0
      return true
    }
    guard let first = places.first, let last = places.last else { return ["node \(node) is empty"] }
    check(view.points(of: node) == first..<last + 1, "first and last place")
    var box = PositionBox(view.positions[first])
    var (latitudes, longitudes) = (Int64(0), UInt64(0))
    var locations: Set<Location> = []
    for place in places {
      box.formUnion(PositionBox(view.positions[place]))
      let exact = FixedDegrees.fixed(coordinate(at: place).latitude)
      let y = view.positions[place].y
      let latitude = y == 0 || y == .max ? exact : StepDegrees.shared.latitude(y)
      check((exact - latitude).magnitude <= 13, "latitude, which is to be right to 5e-8°,")
      latitudes += latitude
      longitudes += UInt64(view.positions[place].x)
      locations.insert(view.positions[place].location)
    }
    let (own, sum) = (view.nodes[node], view.sums[node].pointee)
    check(own.box == box, "box")
    check(sum.latitudes == latitudes && sum.longitudes == longitudes, "sums")
    check(Int(sum.locations) == locations.count, "locations")
    check(Int(sum.count) == places.count && view.count(of: node) == places.count, "count")
    if own.isLeaf {
      let isOnePosition = box.minX == box.maxX && box.minY == box.maxY
      check(places.count <= Quadtree.leafCapacity || isOnePosition, "size of the leaf")
      check(places == Array(first..<first + places.count), "run of the leaf")
      return found
    }
    // The children follow each other without a feature between them.
    var next = places[...]
    let children = view.children(of: node)
    for child in children {
      check(view.points(of: child).lowerBound == next.first, "beginning of a child")
      next = next.dropFirst(view.count(of: child))
    }
    check(next.isEmpty, "end of the children")
    check((2...4).contains(children.count), "\(children.count) children")
    return found
  }
}
