/// Builds ``Quadtree``s over points in Z-order in O(n).
struct QuadtreeBuilder {
  private let positions: UnsafePointer<Position>
  private let references: UnsafePointer<RecordReference>
  private let records: RecordArena
  private let degrees = StepDegrees.shared
  private var nodes: GrowingArray<Quadtree.Node>
  private var sums: GrowingArray<NodeSum>
  /// The first point and the first node of the tree under construction.
  private var firstPoint = 0
  private var firstNode = 0

  /// Returns the quadtree of `count` points.
  static func build(
    positions: UnsafePointer<Position>, references: UnsafePointer<RecordReference>,
    records: RecordArena, count: Int
  ) -> Quadtree {
    var builder = QuadtreeBuilder(positions, references, records, expecting: count)
    _ = builder.build(0..<count)
    return Quadtree(nodes: builder.nodes.trimmed, sums: builder.sums.trimmed)
  }

  /// - Parameter expecting: the total number of points of the trees to be built.
  init(
    _ positions: UnsafePointer<Position>, _ references: UnsafePointer<RecordReference>,
    _ records: RecordArena, expecting points: Int
  ) {
    self.positions = positions
    self.references = references
    self.records = records
    // Leaves are about half full. Untouched memory costs nothing.
    nodes = GrowingArray(capacity: points / 6 + 16)
    sums = GrowingArray(capacity: points / 6 + 16)
  }

  /// Builds the tree of some points. Returns the range of its nodes in ``tables``.
  mutating func build(_ points: Range<Int>) -> Range<Int> {
    (firstPoint, firstNode) = (points.lowerBound, nodes.count)
    if !points.isEmpty {
      append(0..<points.count)
      fill(firstNode)
    }
    return firstNode..<nodes.count
  }

  /// The nodes of all trees. No more trees may be built afterwards.
  var tables: Quadtree { Quadtree(nodes: nodes.fixed, sums: sums.fixed) }

  @inline(__always)
  private func position(_ point: Int) -> Position { positions[firstPoint &+ point] }

  /// Appends an unfinished node for some points.
  private mutating func append(_ points: Range<Int>) {
    nodes.append(
      Quadtree.Node(
        begin: points.lowerBound, end: points.upperBound,
        box: PositionBox(position(points.lowerBound))))
    sums.append(NodeSum())
  }

  /// Finishes a node and its descendants. The recursion is at most 32 levels deep, because each
  /// level fixes at least one more bit of both axes.
  private mutating func fill(_ node: Int) {
    let points = nodes.pointer[node].range
    let (first, last) = (position(points.lowerBound), position(points.upperBound - 1))
    let difference = (first.x ^ last.x) | (first.y ^ last.y)
    if points.count <= Quadtree.leafCapacity || difference == 0 {
      fillLeaf(node, points)
    } else {
      fillChildren(of: node, points, difference: difference)
    }
  }

  private func fillLeaf(_ node: Int, _ points: Range<Int>) {
    var box = nodes.pointer[node].box
    var sum = NodeSum()
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
    nodes.pointer[node].box = box
    sums.pointer[node] = sum
  }

  /// Returns the sum of latitudes where some are beyond the projection.
  private func latitudes(_ points: Range<Int>) -> Int64 {
    points.reduce(into: 0) { sum, point in
      let y = position(point).y
      let reference = references[firstPoint &+ point]
      sum &+= degrees.latitude(y, exactly: records[reference].coordinate)
    }
  }

  /// Splits a node at the highest bit in which its first and last positions differ on either axis.
  private mutating func fillChildren(
    of node: Int, _ points: Range<Int>, difference: UInt32
  ) {
    let shift = UInt32(31 - difference.leadingZeroBitCount)
    let first = nodes.count
    var start = points.lowerBound
    while start < points.upperBound {
      let origin = position(start)
      let stop = (start + 1..<points.upperBound).partitionPoint {
        position($0).isInQuadrant(of: origin, size: shift)
      }
      append(start..<stop)
      start = stop
    }
    let children = first..<nodes.count
    nodes.pointer[node].children = first - firstNode..<nodes.count - firstNode
    var sum = NodeSum()
    for child in children {
      fill(child)
      nodes.pointer[node].box.formUnion(nodes.pointer[child].box)
      sum.add(sums.pointer[child])
      // Siblings smaller than a location may share one.
      let begin = nodes.pointer[child].range.lowerBound
      if child > first && position(begin).location == position(begin - 1).location {
        sum.locations -= 1
      }
    }
    sums.pointer[node] = sum
  }
}
