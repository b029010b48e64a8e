@testable import ClusterCore

extension FeatureIndex {
  /// What is wrong inside, as sentences; empty for a sound index. Everything is computed anew from
  /// the records.
  func violations() -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: @autoclosure () -> String) {
      if !holds && found.count < 20 { found.append(what()) }
    }
    let pointers = points.pointers
    let ordinals = self.ordinals
    check(ordinals.count == count, "\(ordinals.count) ordinals of \(count) features")
    for (ordinal, before) in zip(ordinals, [nil] + ordinals.map { $0 }) {
      let record = record(at: ordinal)
      let (stored, sent) = (coordinate(at: ordinal), record.coordinate)
      check(
        stored.latitude.bitPattern == sent.latitude.bitPattern
          && stored.longitude.bitPattern == sent.longitude.bitPattern, "coordinate of \(ordinal)")
      check(pointers.position(ordinal) == Position(sent), "position of \(ordinal)")
      guard let before else { continue }
      let keys = (pointers.position(before).zOrder, pointers.position(ordinal).zOrder)
      check(
        keys.0 < keys.1 || (keys.0 == keys.1 && self.record(at: before).id < record.id),
        "order of \(ordinal)")
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
    check(Set(byID.map(ordinal(of:))) == Set(ordinals), "ids lead to other ordinals")
    var nodes: [Int] = []
    pointers.traverse {
      nodes.append($0)
      return .open
    }
    check(nodes.isEmpty == (count == 0), "\(nodes.count) nodes")
    for node in nodes {
      for text in violations(ofNode: node) { check(false, text) }
    }
    check(
      records.liveBytes == ordinals.reduce(0) { $0 + self.record(at: $1).size },
      "\(records.liveBytes) live bytes")
    return found
  }

  /// One node: its children cover it, its box and bounds are tight, its sums are right.
  private func violations(ofNode node: Int) -> [String] {
    var found: [String] = []
    func check(_ holds: Bool, _ what: String) {
      if !holds { found.append("\(what) of node \(node)") }
    }
    let pointers = points.pointers
    var ordinals: [Int] = []
    _ = pointers.forEachRun(of: node) {
      ordinals += $0
      return true
    }
    guard let first = ordinals.first, let last = ordinals.last else {
      return ["node \(node) is empty"]
    }
    check(pointers.points(of: node) == first..<last + 1, "first and last ordinal")
    var box = PositionBox(pointers.position(first))
    var (latitudes, longitudes) = (Int64(0), UInt64(0))
    var locations: Set<Location> = []
    for ordinal in ordinals {
      box.formUnion(PositionBox(pointers.position(ordinal)))
      let exact = FixedDegrees.fixed(coordinate(at: ordinal).latitude)
      let y = pointers.position(ordinal).y
      let latitude = y == 0 || y == .max ? exact : StepDegrees.shared.latitude(y)
      check((exact - latitude).magnitude <= 13, "latitude, which is to be right to 5e-8°,")
      latitudes += latitude
      longitudes += UInt64(pointers.position(ordinal).x)
      locations.insert(pointers.position(ordinal).location)
    }
    let (own, sum) = (pointers.node(node), pointers.sum(node).pointee)
    check(own.box == box, "box")
    check(sum.latitudes == latitudes && sum.longitudes == longitudes, "sums")
    check(Int(sum.locations) == locations.count, "locations")
    check(Int(sum.count) == ordinals.count && pointers.count(of: node) == ordinals.count, "count")
    if own.isLeaf {
      let isOnePosition = box.minX == box.maxX && box.minY == box.maxY
      check(ordinals.count <= Quadtree.leafCapacity || isOnePosition, "size of the leaf")
      check(ordinals == Array(first..<first + ordinals.count), "run of the leaf")
      return found
    }
    // The children follow each other without a feature between them.
    var next = ordinals[...]
    let children = pointers.children(of: node)
    for child in children {
      check(pointers.points(of: child).lowerBound == next.first, "beginning of a child")
      next = next.dropFirst(pointers.count(of: child))
    }
    check(next.isEmpty, "end of the children")
    check((2...4).contains(children.count), "\(children.count) children")
    return found
  }
}
