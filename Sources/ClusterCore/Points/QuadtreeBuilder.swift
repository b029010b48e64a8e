/// Builds ``Quadtree``s over points that are sorted along the Z-order curve, in O(n).
struct QuadtreeBuilder {
  private let positions: UnsafePointer<Position>
  private let references: UnsafePointer<RecordReference>
  private let records: RecordArena
  private let degrees = StepDegrees.shared
  private var nodes: GrowingArray<Quadtree.Node>
  private var aggregates: GrowingArray<Quadtree.Aggregate>
  /// The first point and the first node of the tree that is being built.
  private var firstPoint = 0
  private var firstNode = 0

  /// The quadtree of `count` points.
  static func build(
    positions: UnsafePointer<Position>, references: UnsafePointer<RecordReference>,
    records: RecordArena, count: Int
  ) -> Quadtree {
    var builder = QuadtreeBuilder(positions, references, records, expecting: count)
    _ = builder.build(0..<count)
    return Quadtree(nodes: builder.nodes.trimmed, aggregates: builder.aggregates.trimmed)
  }

  /// - Parameter expecting: how many points will be built over.
  init(
    _ positions: UnsafePointer<Position>, _ references: UnsafePointer<RecordReference>,
    _ records: RecordArena, expecting points: Int
  ) {
    self.positions = positions
    self.references = references
    self.records = records
    // Leaves are about half full; memory that isn't touched costs nothing.
    nodes = GrowingArray(capacity: points / 6 + 16)
    aggregates = GrowingArray(capacity: points / 6 + 16)
  }

  /// Builds the tree of some points; returns where its nodes are in ``tables``.
  mutating func build(_ points: Range<Int>) -> Range<Int> {
    (firstPoint, firstNode) = (points.lowerBound, nodes.count)
    if !points.isEmpty {
      append(0..<points.count)
      fill(firstNode)
    }
    return firstNode..<nodes.count
  }

  /// The nodes of all trees; none is to be built after that.
  var tables: Quadtree { Quadtree(nodes: nodes.fixed, aggregates: aggregates.fixed) }

  @inline(__always)
  private func position(_ point: Int) -> Position { positions[firstPoint &+ point] }

  /// Appends an unfinished node for some points.
  private mutating func append(_ points: Range<Int>) {
    nodes.append(
      Quadtree.Node(
        begin: points.lowerBound, end: points.upperBound,
        box: PositionBox(position(points.lowerBound))))
    aggregates.append(Quadtree.Aggregate())
  }

  /// Finishes a node and everything below it. The recursion is at most 32 deep: each level fixes at
  /// least one more bit of both axes.
  private mutating func fill(_ place: Int) {
    let points = nodes.pointer[place].range
    let (first, last) = (position(points.lowerBound), position(points.upperBound - 1))
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
      let position = position(index)
      box.formUnion(PositionBox(position))
      sum.longitudes &+= UInt64(position.x)
      sum.latitudes &+= degrees.latitude(position.y)
      if position.location != previous { sum.locations += 1 }
      previous = position.location
    }
    if box.isPolar { sum.latitudes = latitudes(points) }
    sum.count = UInt32(points.count)
    nodes.pointer[place].box = box
    aggregates.pointer[place] = sum
  }

  /// The sum of latitudes of which some are beyond the projection.
  private func latitudes(_ points: Range<Int>) -> Int64 {
    points.reduce(into: 0) { sum, point in
      let y = position(point).y
      let reference = references[firstPoint &+ point]
      sum &+= degrees.latitude(y, exactly: records[reference].coordinate)
    }
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
    nodes.pointer[place].children = first - firstNode..<nodes.count - firstNode
    var sum = Quadtree.Aggregate()
    for child in children {
      fill(child)
      nodes.pointer[place].box.formUnion(nodes.pointer[child].box)
      sum.add(aggregates.pointer[child])
      // Siblings smaller than a location may share one.
      let begin = nodes.pointer[child].range.lowerBound
      if child > first && position(begin).location == position(begin - 1).location {
        sum.locations -= 1
      }
    }
    aggregates.pointer[place] = sum
  }

  /// The first point after `start` that lies in another quadrant: binary search, for
  /// they are in Z-order.
  private func endOfQuadrant(_ start: Int, _ end: Int, shift: UInt32) -> Int {
    let origin = position(start)
    let (column, row) = (origin.x &>> shift, origin.y &>> shift)
    var (low, high) = (start + 1, end)
    while low < high {
      let middle = (low + high) / 2
      let position = position(middle)
      let isSame = position.x &>> shift == column && position.y &>> shift == row
      if isSame { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
