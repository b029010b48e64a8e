/// Builds a ``Quadtree`` over points that are sorted along the Z-order curve, in O(n).
struct QuadtreeBuilder {
  private let keys: UnsafePointer<UInt64>
  private let positions: UnsafePointer<Position>
  private let coordinates: UnsafePointer<Coordinate>
  private var nodes: UnsafeMutablePointer<Quadtree.Node>
  private var aggregates: UnsafeMutablePointer<Quadtree.Aggregate>
  private var capacity: Int
  private var count = 0

  /// The quadtree of `count` points. All pointers are to `count` values in Z-order.
  static func build(
    keys: UnsafePointer<UInt64>, positions: UnsafePointer<Position>,
    coordinates: UnsafePointer<Coordinate>, count: Int
  ) -> Quadtree {
    var builder = QuadtreeBuilder(keys, positions, coordinates, expecting: count)
    defer { builder.free() }
    if count > 0 { builder.add(0, count) }
    return builder.finish(count)
  }

  private init(
    _ keys: UnsafePointer<UInt64>, _ positions: UnsafePointer<Position>,
    _ coordinates: UnsafePointer<Coordinate>, expecting points: Int
  ) {
    self.keys = keys
    self.positions = positions
    self.coordinates = coordinates
    capacity = points / 8 + 16
    nodes = .allocate(capacity: capacity)
    aggregates = .allocate(capacity: capacity)
  }

  private func free() {
    nodes.deallocate()
    aggregates.deallocate()
  }

  private func finish(_ points: Int) -> Quadtree {
    let allNodes = FixedArray<Quadtree.Node>(uninitialized: count + 1)
    allNodes.pointer.update(from: nodes, count: count)
    allNodes.pointer[count] = Quadtree.Node(
      begin: UInt32(points), skip: UInt32(count + 1), box: PositionBox(Position(x: 0, y: 0)))
    return Quadtree(
      nodes: allNodes,
      aggregates: FixedArray(UnsafeBufferPointer(start: aggregates, count: count)))
  }

  private mutating func grow() {
    let newNodes = UnsafeMutablePointer<Quadtree.Node>.allocate(capacity: capacity * 2)
    let newAggregates = UnsafeMutablePointer<Quadtree.Aggregate>.allocate(capacity: capacity * 2)
    newNodes.update(from: nodes, count: count)
    newAggregates.update(from: aggregates, count: count)
    free()
    (nodes, aggregates, capacity) = (newNodes, newAggregates, capacity * 2)
  }

  /// Appends the node of the points `begin..<end` (not empty) and its subtree; returns its place.
  /// The recursion is at most 32 deep: each level fixes at least one more pair of key bits.
  @discardableResult
  private mutating func add(_ begin: Int, _ end: Int) -> Int {
    if count == capacity { grow() }
    let place = count
    count += 1
    nodes[place] = Quadtree.Node(
      begin: UInt32(begin), skip: 0, box: PositionBox(positions[begin]))
    let difference = keys[begin] ^ keys[end - 1]
    if end - begin <= Quadtree.leafCapacity || difference == 0 {
      fillLeaf(place, begin, end)
    } else {
      addChildren(of: place, begin, end, difference: difference)
    }
    nodes[place].skip = UInt32(count)
    return place
  }

  private func fillLeaf(_ place: Int, _ begin: Int, _ end: Int) {
    var box = PositionBox(positions[begin])
    var sum = Quadtree.Aggregate(latitudes: 0, longitudes: 0, bounds: .empty, locations: 0)
    var previous: Location?
    for index in begin..<end {
      let position = positions[index]
      box.formUnion(PositionBox(position))
      sum.add(coordinates[index])
      if position.location != previous { sum.locations += 1 }
      previous = position.location
    }
    nodes[place].box = box
    aggregates[place] = sum
  }

  /// Splits at the highest pair of bits in which the first and the last key differ.
  private mutating func addChildren(
    of place: Int, _ begin: Int, _ end: Int, difference: UInt64
  ) {
    let shift = UInt64((63 - difference.leadingZeroBitCount) & ~1)
    var sum = Quadtree.Aggregate(latitudes: 0, longitudes: 0, bounds: .empty, locations: 0)
    var start = begin
    while start < end {
      let stop = endOfQuadrant(start, end, shift: shift)
      let child = add(start, stop)
      if start == begin { nodes[place].box = nodes[child].box }
      nodes[place].box.formUnion(nodes[child].box)
      sum.add(aggregates[child])
      // Siblings smaller than a location may share one.
      if start > begin && positions[start].location == positions[start - 1].location {
        sum.locations -= 1
      }
      start = stop
    }
    aggregates[place] = sum
  }

  /// The first point after `start` that lies in another quadrant: binary search, keys are sorted.
  private func endOfQuadrant(_ start: Int, _ end: Int, shift: UInt64) -> Int {
    let quadrant = keys[start] >> shift
    var (low, high) = (start + 1, end)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] >> shift == quadrant { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Quadtree.Aggregate {
  @inline(__always)
  fileprivate mutating func add(_ coordinate: Coordinate) {
    latitudes += FixedDegrees.fixed(coordinate.latitude)
    longitudes += FixedDegrees.fixed(coordinate.foldedLongitude)
    bounds.formUnion(GeoBounds(coordinate))
  }

  fileprivate mutating func add(_ other: Quadtree.Aggregate) {
    latitudes += other.latitudes
    longitudes += other.longitudes
    bounds.formUnion(other.bounds)
    locations += other.locations
  }
}
