/// Builds a ``Quadtree`` over points that are sorted along the Z-order curve, in O(n).
struct QuadtreeBuilder {
  private let positions: UnsafePointer<Position>
  private let coordinates: UnsafePointer<Coordinate>
  private var nodes: GrowingArray<Quadtree.Node>
  private var aggregates: GrowingArray<Quadtree.Aggregate>

  /// The quadtree of `count` points; both pointers are to as many values in Z-order.
  static func build(
    positions: UnsafePointer<Position>, coordinates: UnsafePointer<Coordinate>, count: Int
  ) -> Quadtree {
    var builder = QuadtreeBuilder(positions, coordinates, expecting: count)
    if count > 0 {
      builder.append(0..<count)
      builder.fill(0)
    }
    return Quadtree(nodes: builder.nodes.trimmed, aggregates: builder.aggregates.trimmed)
  }

  private init(
    _ positions: UnsafePointer<Position>, _ coordinates: UnsafePointer<Coordinate>,
    expecting points: Int
  ) {
    self.positions = positions
    self.coordinates = coordinates
    // Leaves are about half full; memory that isn't touched costs nothing.
    nodes = GrowingArray(capacity: points / 6 + 16)
    aggregates = GrowingArray(capacity: points / 6 + 16)
  }

  /// Appends an unfinished node for some points.
  private mutating func append(_ points: Range<Int>) {
    nodes.append(
      Quadtree.Node(
        begin: points.lowerBound, end: points.upperBound,
        box: PositionBox(positions[points.lowerBound])))
    aggregates.append(Quadtree.Aggregate())
  }

  /// Finishes a node and everything below it. The recursion is at most 32 deep: each level fixes at
  /// least one more bit of both axes.
  private mutating func fill(_ place: Int) {
    let points = nodes.pointer[place].range
    let (first, last) = (positions[points.lowerBound], positions[points.upperBound - 1])
    let difference = (first.x ^ last.x) | (first.y ^ last.y)
    if points.count <= Quadtree.leafCapacity || difference == 0 {
      fillLeaf(place, points)
    } else {
      fillChildren(of: place, points, difference: difference)
    }
  }

  private func fillLeaf(_ place: Int, _ points: Range<Int>) {
    var box = nodes.pointer[place].box
    var sum = Quadtree.Aggregate()
    var previous: Location?
    for index in points {
      let position = positions[index]
      box.formUnion(PositionBox(position))
      sum.add(coordinates[index])
      if position.location != previous { sum.locations += 1 }
      previous = position.location
    }
    sum.count = UInt32(points.count)
    nodes.pointer[place].box = box
    aggregates.pointer[place] = sum
  }

  /// Splits at the highest bit in which the first and the last position differ on either axis.
  private mutating func fillChildren(
    of place: Int, _ points: Range<Int>, difference: UInt32
  ) {
    let shift = UInt32(31 - difference.leadingZeroBitCount)
    let first = nodes.count
    var start = points.lowerBound
    while start < points.upperBound {
      let stop = endOfQuadrant(start, points.upperBound, shift: shift)
      append(start..<stop)
      start = stop
    }
    let children = first..<nodes.count
    nodes.pointer[place].children = children
    var sum = Quadtree.Aggregate()
    for child in children {
      fill(child)
      nodes.pointer[place].box.formUnion(nodes.pointer[child].box)
      sum.add(aggregates.pointer[child])
      // Siblings smaller than a location may share one.
      let begin = nodes.pointer[child].range.lowerBound
      if child > first && positions[begin].location == positions[begin - 1].location {
        sum.locations -= 1
      }
    }
    aggregates.pointer[place] = sum
  }

  /// The first point after `start` that lies in another quadrant: binary search, for
  /// they are in Z-order.
  private func endOfQuadrant(_ start: Int, _ end: Int, shift: UInt32) -> Int {
    let (column, row) = (positions[start].x &>> shift, positions[start].y &>> shift)
    var (low, high) = (start + 1, end)
    while low < high {
      let middle = (low + high) / 2
      let position = positions[middle]
      let isSame = position.x &>> shift == column && position.y &>> shift == row
      if isSame { low = middle + 1 } else { high = middle }
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

  mutating func add(_ other: Quadtree.Aggregate) {
    count += other.count
    latitudes += other.latitudes
    longitudes += other.longitudes
    bounds.formUnion(other.bounds)
    locations += other.locations
  }
}
