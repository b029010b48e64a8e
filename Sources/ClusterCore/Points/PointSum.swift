/// What the positions of some features add up to, and with that the mean and the bounds of their
/// coordinates, right to 8.5e-8°; see ``StepDegrees``.
struct PointSum: BitwiseCopyable, Equatable {
  var count = 0
  /// The sum of x, in steps.
  var longitudes: UInt64 = 0
  /// The sum of latitudes in units of ``FixedDegrees``.
  var latitudes: Int64 = 0
  var box = PositionBox.empty

  /// Adds all features of a node.
  @inline(__always)
  mutating func add(node: Int, in view: IndexPointers) {
    add(view.aggregates[node].pointee, view.nodes[node].box)
  }

  /// Adds all features of a node, given its box.
  @inline(__always)
  mutating func add(_ aggregate: Quadtree.Aggregate, _ nodeBox: PositionBox) {
    // Unchecked, because the sums of up to 2^31 features fit; see FixedDegrees.
    count &+= Int(aggregate.count)
    longitudes &+= aggregate.longitudes
    latitudes &+= aggregate.latitudes
    box.formUnion(nodeBox)
  }

  /// Adds what others add up to.
  @inline(__always)
  mutating func add(_ other: PointSum) {
    count &+= other.count
    longitudes &+= other.longitudes
    latitudes &+= other.latitudes
    box.formUnion(other.box)
  }

  /// Adds the features of a run.
  @inline(__always)
  mutating func add(_ points: Range<Int>, in view: IndexPointers) {
    let block = view.block(of: points.lowerBound)
    var own = PositionBox.empty
    var longitudes: UInt64 = 0
    for place in points {
      let position = block.positions[place]
      longitudes &+= UInt64(position.x)
      own.formUnion(PositionBox(position))
    }
    self.longitudes &+= longitudes
    count &+= points.count
    latitudes &+= PointSum.latitudes(points, own, block, view)
    box.formUnion(own)
  }

  /// The sum of a run's latitudes, given its box.
  @inline(__always)
  private static func latitudes(
    _ points: Range<Int>, _ box: PositionBox, _ block: BlockPointers, _ view: IndexPointers
  ) -> Int64 {
    if box.isPolar { return polarLatitudes(points, block, view) }
    var sum: Int64 = 0
    let interval = StepDegrees.interval(of: box.minY)
    if interval == StepDegrees.interval(of: box.maxY) {
      let curve = StepDegrees.Curve(view.degrees, interval)
      for place in points {
        sum &+= FixedDegrees.fixed(fromUnits: curve.units(Double(block.positions[place].y)))
      }
    } else {
      for place in points { sum &+= view.degrees.latitude(block.positions[place].y) }
    }
    return sum
  }

  /// As above, where some are beyond the projection.
  @inline(never)
  private static func polarLatitudes(
    _ points: Range<Int>, _ block: BlockPointers, _ view: IndexPointers
  ) -> Int64 {
    points.reduce(into: 0) { sum, place in
      sum &+= view.degrees.latitude(
        block.positions[place].y, exactly: view.records[block.references[place]].coordinate)
    }
  }

  /// The mean coordinate: with seven decimals, and never outside of the bounds, which are given.
  func mean(in bounds: GeoBounds) -> Coordinate {
    Coordinate(
      latitude: PointSum.mean(
        FixedDegrees.mean(sum: latitudes, count: count), bounds.south, bounds.north),
      longitude: PointSum.mean(
        StepDegrees.meanLongitude(sum: longitudes, count: count), bounds.west, bounds.east))
  }

  static func mean(_ mean: Double, _ low: Double, _ high: Double) -> Double {
    min(max(rounded(mean), low), high)
  }

  /// As many decimals (a centimetre) as steps can bear, so that means of round numbers are round ones.
  /// With half a step and half a decimal a mean is still right to 1e-7°.
  static func rounded(_ degrees: Double) -> Double {
    (degrees * 1e7).rounded() / 1e7
  }
}
