/// Builds a ``Quadtree`` over points that are sorted along the Z-order curve, in O(n).
struct QuadtreeBuilder {
  private let keys: UnsafePointer<UInt64>
  private let coordinates: UnsafePointer<Coordinate>
  private var nodes: GrowingArray<Quadtree.Node>
  private var aggregates: GrowingArray<Quadtree.Aggregate>

  /// The quadtree of `count` points; both pointers are to as many values in Z-order.
  static func build(
    keys: UnsafePointer<UInt64>, coordinates: UnsafePointer<Coordinate>, count: Int
  ) -> Quadtree {
    var builder = QuadtreeBuilder(keys, coordinates, expecting: count)
    if count > 0 { builder.add(0, count) }
    builder.nodes.append(
      Quadtree.Node(
        begin: UInt32(count), skip: UInt32(builder.nodes.count + 1),
        box: PositionBox(Position(x: 0, y: 0))))
    return Quadtree(nodes: builder.nodes.fixed, aggregates: builder.aggregates.fixed)
  }

  private init(
    _ keys: UnsafePointer<UInt64>, _ coordinates: UnsafePointer<Coordinate>,
    expecting points: Int
  ) {
    self.keys = keys
    self.coordinates = coordinates
    // Leaves are about half full; memory that isn't touched costs nothing.
    nodes = GrowingArray(capacity: points / 6 + 16)
    aggregates = GrowingArray(capacity: points / 6 + 16)
  }

  /// Appends the node of the points `begin..<end` (not empty) and its subtree; returns its place.
  /// The recursion is at most 32 deep: each level fixes at least one more pair of key bits.
  @discardableResult
  private mutating func add(_ begin: Int, _ end: Int) -> Int {
    let place = nodes.count
    nodes.append(
      Quadtree.Node(
        begin: UInt32(begin), skip: 0, box: PositionBox(Position(zOrder: keys[begin]))))
    aggregates.append(Quadtree.Aggregate())
    let difference = keys[begin] ^ keys[end - 1]
    if end - begin <= Quadtree.leafCapacity || difference == 0 {
      fillLeaf(place, begin, end)
    } else {
      addChildren(of: place, begin, end, difference: difference)
    }
    nodes.pointer[place].skip = UInt32(nodes.count)
    return place
  }

  private func fillLeaf(_ place: Int, _ begin: Int, _ end: Int) {
    var box = nodes.pointer[place].box
    var sum = Quadtree.Aggregate()
    var previous: Location?
    for index in begin..<end {
      let position = Position(zOrder: keys[index])
      box.formUnion(PositionBox(position))
      sum.add(coordinates[index])
      if position.location != previous { sum.locations += 1 }
      previous = position.location
    }
    nodes.pointer[place].box = box
    aggregates.pointer[place] = sum
  }

  /// Splits at the highest pair of bits in which the first and the last key differ.
  private mutating func addChildren(
    of place: Int, _ begin: Int, _ end: Int, difference: UInt64
  ) {
    let shift = UInt64((63 - difference.leadingZeroBitCount) & ~1)
    var sum = Quadtree.Aggregate()
    var start = begin
    while start < end {
      let stop = endOfQuadrant(start, end, shift: shift)
      let child = add(start, stop)
      nodes.pointer[place].box.formUnion(nodes.pointer[child].box)
      sum.add(aggregates.pointer[child])
      // Siblings smaller than a location may share one.
      if start > begin && keys[start] >> 18 == keys[start - 1] >> 18 { sum.locations -= 1 }
      start = stop
    }
    aggregates.pointer[place] = sum
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
    latitudes &+= FixedDegrees.fixed(coordinate.latitude)
    longitudes &+= FixedDegrees.fixed(coordinate.foldedLongitude)
    bounds.formUnion(GeoBounds(coordinate))
  }

  fileprivate mutating func add(_ other: Quadtree.Aggregate) {
    latitudes += other.latitudes
    longitudes += other.longitudes
    bounds.formUnion(other.bounds)
    locations += other.locations
  }
}
