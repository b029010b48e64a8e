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

extension PointIndex {
  /// The bounds of a region's features, given the box of their positions.
  func bounds(
    of box: PositionBox, in region: some IndexRegion,
    excluding excluded: OrdinalSet = OrdinalSet([])
  ) -> GeoBounds {
    GeoBounds(box) { latitude in
      forEachOrdinal(in: IntersectionRegion(a: PolarRegion(), b: region)) { place in
        if !excluded.contains(place) { latitude(coordinate(at: place).latitude) }
        return true
      }
    }
  }
}

extension GeoBounds {
  /// The bounds of features whose positions are in a box, right to 8.5e-8°.
  ///
  /// - Parameter polarLatitudes: calls its argument with the latitudes of those on the world's northern
  ///   and southern edges, which positions don't tell; called only if there are any.
  init(_ box: PositionBox, polarLatitudes: ((Double) -> Void) -> Void) {
    let degrees = StepDegrees.shared
    self.init(
      west: degrees.roundedLongitude(box.minX), south: degrees.roundedLatitude(box.maxY),
      east: degrees.roundedLongitude(box.maxX), north: degrees.roundedLatitude(box.minY))
    guard box.isPolar else { return }
    var (low, high) = (Double.infinity, -Double.infinity)
    polarLatitudes { (low, high) = (min(low, $0), max(high, $0)) }
    if box.minY == 0 || box.minY == .max { north = high }
    if box.maxY == .max || box.maxY == 0 { south = low }
  }

  /// Bounds that hold also what is rounded away from these.
  var widened: GeoBounds {
    GeoBounds(
      west: max(west - 1e-7, -180), south: max(south - 1e-7, -90),
      east: min(east + 1e-7, Double(180).nextDown), north: min(north + 1e-7, 90))
  }
}

/// The features on the world's northern and southern edges.
private struct PolarRegion: IndexRegion {
  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let box = view.nodes[node].box
    if !box.isPolar { return .outside }
    return box.maxY == 0 || box.minY == .max ? .inside : .partial
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    let y = view.positions[place].y
    return y == 0 || y == .max
  }
}
