/// The sum of some features' positions, from which the mean and the bounds of their coordinates
/// follow with an accuracy of 8.5e-8°; see ``StepDegrees``.
struct PointSum: BitwiseCopyable, Equatable {
  var count = 0
  /// The sum of x, in steps.
  var longitudes: UInt64 = 0
  /// The sum of latitudes in units of ``FixedDegrees``.
  var latitudes: Int64 = 0
  var box = PositionBox.empty

  /// Adds all features of a node.
  @inline(__always)
  mutating func add(node: Int, in pointers: IndexPointers) {
    add(pointers.sum(node).pointee, pointers.node(node).box)
  }

  /// Adds all features of a node, given its sum and box.
  @inline(__always)
  mutating func add(_ sum: NodeSum, _ nodeBox: PositionBox) {
    // Unchecked, because the sums of up to 2^31 features fit 64 bits; see FixedDegrees.
    count &+= Int(sum.count)
    longitudes &+= sum.longitudes
    latitudes &+= sum.latitudes
    box.formUnion(nodeBox)
  }

  /// Adds another sum.
  @inline(__always)
  mutating func add(_ other: PointSum) {
    count &+= other.count
    longitudes &+= other.longitudes
    latitudes &+= other.latitudes
    box.formUnion(other.box)
  }

  /// Adds a point, given its latitude in units of ``FixedDegrees``.
  @inline(__always)
  mutating func add(_ position: Position, latitude: Int64) {
    count &+= 1
    longitudes &+= UInt64(position.x)
    latitudes &+= latitude
    box.formUnion(PositionBox(position))
  }

  /// Adds the features of a run.
  @inline(__always)
  mutating func add(_ points: Range<Int>, in pointers: IndexPointers) {
    let block = pointers.block(of: points.lowerBound)
    var own = PositionBox.empty
    var longitudes: UInt64 = 0
    for ordinal in points {
      let position = block.positions[ordinal]
      longitudes &+= UInt64(position.x)
      own.formUnion(PositionBox(position))
    }
    self.longitudes &+= longitudes
    count &+= points.count
    latitudes &+= PointSum.latitudes(points, own, block, pointers)
    box.formUnion(own)
  }

  /// Returns the sum of a run's latitudes, given its box.
  @inline(__always)
  private static func latitudes(
    _ points: Range<Int>, _ box: PositionBox, _ block: BlockPointers, _ pointers: IndexPointers
  ) -> Int64 {
    if box.isPolar { return polarLatitudes(points, block, pointers) }
    var sum: Int64 = 0
    let interval = StepDegrees.interval(of: box.minY)
    if interval == StepDegrees.interval(of: box.maxY) {
      let curve = StepDegrees.Curve(pointers.degrees, interval)
      for ordinal in points {
        sum &+= FixedDegrees.fixed(fromUnits: curve.units(Double(block.positions[ordinal].y)))
      }
    } else {
      for ordinal in points { sum &+= pointers.degrees.latitude(block.positions[ordinal].y) }
    }
    return sum
  }

  /// Returns the sum of a run's latitudes where some are beyond the projection.
  @inline(never)
  private static func polarLatitudes(
    _ points: Range<Int>, _ block: BlockPointers, _ pointers: IndexPointers
  ) -> Int64 {
    points.reduce(into: 0) { sum, ordinal in
      sum &+= pointers.degrees.latitude(
        block.positions[ordinal].y, exactly: pointers.records[block.references[ordinal]].coordinate)
    }
  }

  /// Returns the mean coordinate, rounded to seven decimals and clamped to the given bounds.
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

  /// Rounds to seven decimals (a centimetre), so that means of round numbers are round. With the
  /// errors of half a step and half a decimal, a mean is accurate to 1e-7°.
  static func rounded(_ degrees: Double) -> Double {
    let scaled = degrees * 1e7
    // As rounded() does, but without a call: degrees are far below 2^63 / 1e7.
    guard scaled.magnitude < 0x1p52 else { return scaled.rounded() / 1e7 }
    let whole = Double(Int64(scaled))
    let rest = scaled - whole
    let nearest = rest >= 0.5 ? whole + 1 : rest <= -0.5 ? whole - 1 : whole
    // Keeps the sign of a zero.
    return Double(signOf: degrees, magnitudeOf: nearest) / 1e7
  }
}
