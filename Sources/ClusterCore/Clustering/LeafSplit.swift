/// Adds up the points of a leaf across one or two grid lines, two points at a time and without a branch
/// on where they are: the points of a leaf are in no helpful order, so that every branch would be
/// foreseen wrongly as often as not.
///
/// Steps are handled as doubles of 2^52 and more, whose order is that of their bits and of which the
/// low bits are the step itself.
struct LeafSplit {
  typealias Steps = SIMD2<Double>
  typealias Bits = SIMD2<UInt64>

  /// What is on one side of a line.
  struct Side {
    var count = Bits.zero
    var longitudes = Bits.zero
    var latitudes = Bits.zero
    var minX = Steps(repeating: .infinity)
    var minY = Steps(repeating: .infinity)
    var maxX = Steps.zero
    var maxY = Steps.zero

    /// Adds the points of a mask.
    @inline(__always)
    mutating func add(_ x: Steps, _ y: Steps, latitude: Bits, where mask: Bits) {
      // A mask is all ones, −1.
      count &-= mask
      longitudes &+= LeafSplit.bits(x) & mask & LeafSplit.stepBits
      latitudes &+= latitude & mask
      let (outX, outY) = (LeafSplit.steps(~mask & LeafSplit.infinity), ~mask & LeafSplit.infinity)
      let (inX, inY) = (LeafSplit.bits(x) & mask, LeafSplit.bits(y) & mask)
      minX = LeafSplit.least(minX, LeafSplit.steps(inX | LeafSplit.bits(outX)))
      minY = LeafSplit.least(minY, LeafSplit.steps(inY | outY))
      maxX = LeafSplit.greatest(maxX, LeafSplit.steps(inX))
      maxY = LeafSplit.greatest(maxY, LeafSplit.steps(inY))
    }

    /// What it comes to; nil if there is nothing.
    var sum: PointSum? {
      let count = Int(truncatingIfNeeded: count.wrappedSum())
      guard count > 0 else { return nil }
      var sum = PointSum()
      sum.count = count
      sum.longitudes = longitudes.wrappedSum()
      sum.latitudes = Int64(
        bitPattern: latitudes.wrappedSum() &- UInt64(count) &* FixedDegrees.magic.bitPattern)
      sum.box = PositionBox(
        minX: LeafSplit.step(minX.min()), minY: LeafSplit.step(minY.min()),
        maxX: LeafSplit.step(maxX.max()), maxY: LeafSplit.step(maxY.max()))
      return sum
    }
  }

  @inline(__always)
  fileprivate static var exponent: Bits { Bits(repeating: 0x4330_0000_0000_0000) }
  @inline(__always)
  fileprivate static var stepBits: Bits { Bits(repeating: 0xFFFF_FFFF) }
  @inline(__always)
  fileprivate static var infinity: Bits { Bits(repeating: Double.infinity.bitPattern) }
  @inline(__always)
  fileprivate static var magic: Steps { Steps(repeating: FixedDegrees.magic) }
  @inline(__always)
  fileprivate static var all: Bits { Bits(repeating: .max) }
  @inline(__always)
  fileprivate static var firstOnly: Bits { Bits(.max, 0) }

  @inline(__always)
  fileprivate static func bits(_ steps: Steps) -> Bits { unsafeBitCast(steps, to: Bits.self) }
  @inline(__always)
  fileprivate static func steps(_ bits: Bits) -> Steps { unsafeBitCast(bits, to: Steps.self) }
  @inline(__always)
  fileprivate static func step(_ double: Double) -> UInt32 {
    UInt32(truncatingIfNeeded: double.bitPattern)
  }
  @inline(__always)
  fileprivate static func least(_ a: Steps, _ b: Steps) -> Steps {
    a.replacing(with: b, where: b .< a)
  }
  @inline(__always)
  fileprivate static func greatest(_ a: Steps, _ b: Steps) -> Steps {
    a.replacing(with: b, where: b .> a)
  }
  @inline(__always)
  private static func mask(_ mask: SIMDMask<SIMD2<Int64>>) -> Bits {
    unsafeBitCast(mask, to: Bits.self)
  }

  private let positions: UnsafeRawPointer
  private let count: Int
  private let degrees: StepDegrees
  private let curve: StepDegrees.Curve
  /// Whether the curve is that of all of the points.
  private let isOneCurve: Bool

  /// - Parameter box: of the points.
  @inline(__always)
  init(
    _ positions: UnsafePointer<Position>, count: Int, _ box: PositionBox, _ degrees: StepDegrees
  ) {
    self.positions = UnsafeRawPointer(positions)
    self.count = count
    self.degrees = degrees
    let interval = StepDegrees.interval(of: box.minY)
    curve = StepDegrees.Curve(degrees, interval)
    isOneCurve = interval == StepDegrees.interval(of: box.maxY)
  }

  /// The latitudes of two y, with the magic number of ``FixedDegrees`` added.
  @inline(__always)
  private func latitudes(_ y: Steps) -> Bits {
    if isOneCurve {
      let k = curve.coefficients
      let d = (y - 0x1p52) - curve.middle
      var units = Steps(repeating: k[4])
      units = Steps(repeating: k[3]) + d * units
      units = Steps(repeating: k[2]) + d * units
      units = Steps(repeating: k[1]) + d * units
      units = Steps(repeating: k[0]) + d * units
      return LeafSplit.bits(units + LeafSplit.magic)
    }
    let latitudes = (
      degrees.latitude(LeafSplit.step(y[0])), degrees.latitude(LeafSplit.step(y[1]))
    )
    return Bits(UInt64(bitPattern: latitudes.0), UInt64(bitPattern: latitudes.1))
      &+ FixedDegrees.magic.bitPattern
  }

  /// Calls `body` with the points by twos; the mask leaves the second out at an odd end.
  @inline(__always)
  private func forEachPair(_ body: (_ x: Steps, _ y: Steps, _ latitude: Bits, _ mask: Bits) -> Void)
  {
    @inline(__always)
    func give(_ pair: Bits, _ mask: Bits) {
      let x = LeafSplit.steps(pair & LeafSplit.stepBits | LeafSplit.exponent)
      let y = LeafSplit.steps(pair &>> 32 | LeafSplit.exponent)
      body(x, y, latitudes(y), mask)
    }
    var at = 0
    while at &+ 1 < count {
      give(positions.loadUnaligned(fromByteOffset: at &* 8, as: Bits.self), LeafSplit.all)
      at &+= 2
    }
    if at < count {
      let last = positions.loadUnaligned(fromByteOffset: at &* 8, as: UInt64.self)
      give(Bits(repeating: last), LeafSplit.firstOnly)
    }
  }

  /// The points before a line and those behind it; nil where some are so near to it that positions
  /// can't tell.
  ///
  /// - Parameter isColumn: whether the line is one of x.
  @inline(__always)
  func halves(at line: Int, isColumn: Bool) -> (Side, Side)? {
    let (line, near) = (Steps(repeating: Double(line) + 0x1p52), Steps(repeating: 1))
    var (before, behind) = (Side(), Side())
    var unclear = Bits.zero
    forEachPair { x, y, latitude, mask in
      let offset = (isColumn ? x : y) - line
      let isBehind = LeafSplit.mask(offset .> 0)
      unclear |= LeafSplit.mask(offset .<= near) & LeafSplit.mask(offset .>= -near)
      before.add(x, y, latitude: latitude, where: mask & ~isBehind)
      behind.add(x, y, latitude: latitude, where: mask & isBehind)
    }
    return unclear == .zero ? (before, behind) : nil
  }

  /// The points in the four quarters between two lines, by row; nil as above.
  @inline(__always)
  func quarters(at x0: Int, _ y0: Int) -> (Side, Side, Side, Side)? {
    let column = Steps(repeating: Double(x0) + 0x1p52)
    let row = Steps(repeating: Double(y0) + 0x1p52)
    let near = Steps(repeating: 1)
    var (a, b, c, d) = (Side(), Side(), Side(), Side())
    var unclear = Bits.zero
    forEachPair { x, y, latitude, mask in
      let (across, down) = (x - column, y - row)
      let (isEast, isSouth) = (LeafSplit.mask(across .> 0), LeafSplit.mask(down .> 0))
      unclear |= LeafSplit.mask(across .<= near) & LeafSplit.mask(across .>= -near)
      unclear |= LeafSplit.mask(down .<= near) & LeafSplit.mask(down .>= -near)
      a.add(x, y, latitude: latitude, where: mask & ~isEast & ~isSouth)
      b.add(x, y, latitude: latitude, where: mask & isEast & ~isSouth)
      c.add(x, y, latitude: latitude, where: mask & ~isEast & isSouth)
      d.add(x, y, latitude: latitude, where: mask & isEast & isSouth)
    }
    return unclear == .zero ? (a, b, c, d) : nil
  }
}
