/// Adds up the points on each side of one or two grid lines that divide a leaf, two points at a time
/// and without branches: the points of a leaf are in no helpful order, so about half of the branches
/// would be mispredicted.
///
/// Steps are represented as doubles of 2^52 and more, which compare like their bits and hold the step
/// in their low bits.
struct LeafSplit {
  fileprivate typealias Steps = SIMD2<Double>
  fileprivate typealias Bits = SIMD2<UInt64>

  /// The points on one side of a line, or in one quarter.
  struct Part: Equatable {
    var sum = PointSum()
    /// The number of the first of them within the leaf.
    var first = Int.max

    @inline(__always)
    var count: Int { sum.count }
  }

  /// The sums of the points on one side of a line.
  private struct Side {
    var count = Bits.zero
    var firsts = Steps(repeating: .infinity)
    var longitudes = Bits.zero
    var latitudes = Bits.zero
    var minX = Steps(repeating: .infinity)
    var minY = Steps(repeating: .infinity)
    var maxX = Steps.zero
    var maxY = Steps.zero

    /// Adds the points that a mask selects.
    @inline(__always)
    mutating func add(
      _ x: Steps, _ y: Steps, latitude: Bits, numbers: Steps, where mask: Bits
    ) {
      // A set lane of the mask is −1.
      count &-= mask
      longitudes &+= bits(x) & mask & stepBits
      latitudes &+= latitude & mask
      let outside = ~mask & infinity
      let (inX, inY) = (bits(x) & mask, bits(y) & mask)
      firsts = least(firsts, steps(bits(numbers) & mask | outside))
      minX = least(minX, steps(inX | outside))
      minY = least(minY, steps(inY | outside))
      maxX = greatest(maxX, steps(inX))
      maxY = greatest(maxY, steps(inY))
    }

    var part: Part {
      let count = Int(truncatingIfNeeded: count.wrappedSum())
      guard count > 0 else { return Part() }
      var sum = PointSum()
      sum.count = count
      sum.longitudes = longitudes.wrappedSum()
      sum.latitudes = Int64(
        bitPattern: latitudes.wrappedSum() &- UInt64(count) &* FixedDegrees.magic.bitPattern)
      sum.box = PositionBox(
        minX: step(minX.min()), minY: step(minY.min()), maxX: step(maxX.max()),
        maxY: step(maxY.max()))
      return Part(sum: sum, first: Int(firsts.min()))
    }
  }

  private let positions: UnsafePointer<Position>
  private let count: Int
  private let degrees: StepDegrees
  private let interval: Int
  /// Whether all points are in the same interval of latitudes.
  private let isOneInterval: Bool
  private let vectors: Vectors?

  /// - Parameter vectors: The vectorized version to use if there is one; its results are identical.
  @inline(__always)
  init(
    _ positions: UnsafePointer<Position>, count: Int, _ box: PositionBox, _ degrees: StepDegrees,
    _ vectors: Vectors?
  ) {
    self.positions = positions
    self.count = count
    self.degrees = degrees
    self.vectors = vectors
    interval = StepDegrees.interval(of: box.minY)
    isOneInterval = interval == StepDegrees.interval(of: box.maxY)
  }

  /// The sums of the points before and behind a line, which separates columns or rows; nil if
  /// positions are not exact enough to tell for points near it.
  @inline(__always)
  func halves(at line: Int, isColumn: Bool) -> (Part, Part)? {
    let (before, behind) =
      vectors.map { halves($0, at: line, isColumn: isColumn) }
      ?? portableHalves(at: line, isColumn: isColumn)
    let isClear =
      isColumn
      ? isWest(before, of: line) && isEast(behind, of: line)
      : isNorth(before, of: line) && isSouth(behind, of: line)
    return isClear ? (before, behind) : nil
  }

  /// The sums of the points in the four quarters between two lines, ordered by row; nil if positions
  /// are not exact enough to tell for points near a line.
  @inline(__always)
  func quarters(at x: Int, _ y: Int) -> (Part, Part, Part, Part)? {
    let (a, b, c, d) = vectors.map { quarters($0, at: x, y) } ?? portableQuarters(at: x, y)
    let isClear =
      isWest(a, of: x) && isWest(c, of: x) && isEast(b, of: x) && isEast(d, of: x)
      && isNorth(a, of: y) && isNorth(b, of: y) && isSouth(c, of: y) && isSouth(d, of: y)
    return isClear ? (a, b, c, d) : nil
  }

  // The position of a line is off by up to one step, so points must be further away than that. The
  // empty box is far from any line that divides a box.

  @inline(__always)
  private func isWest(_ part: Part, of line: Int) -> Bool { Int(part.sum.box.maxX) < line - 1 }
  @inline(__always)
  private func isEast(_ part: Part, of line: Int) -> Bool { Int(part.sum.box.minX) > line + 1 }
  @inline(__always)
  private func isNorth(_ part: Part, of line: Int) -> Bool { Int(part.sum.box.maxY) < line - 1 }
  @inline(__always)
  private func isSouth(_ part: Part, of line: Int) -> Bool { Int(part.sum.box.minY) > line + 1 }

  // MARK: - Eight at a time

  private var points: UnsafePointer<UInt64> {
    UnsafeRawPointer(positions).assumingMemoryBound(to: UInt64.self)
  }

  @inline(__always)
  private func halves(
    _ vectors: Vectors, at line: Int, isColumn: Bool
  ) -> (Part, Part) {
    let split = isColumn ? vectors.functions.halves_by_x : vectors.functions.halves_by_y
    let sums = split(
      points, count, UInt32(clamping: line), degrees.forVectors(isOneInterval: isOneInterval))
    return (Part(sums.parts.0), Part(sums.parts.1))
  }

  @inline(__always)
  private func quarters(
    _ vectors: Vectors, at x: Int, _ y: Int
  ) -> (Part, Part, Part, Part) {
    let sums = vectors.functions.quarters(
      points, count, UInt32(clamping: x), UInt32(clamping: y),
      degrees.forVectors(isOneInterval: isOneInterval))
    let (a, b, c, d) = sums.parts
    return (Part(a), Part(b), Part(c), Part(d))
  }

  // MARK: - Two at a time

  @inline(never)
  private func portableHalves(at line: Int, isColumn: Bool) -> (Part, Part) {
    let line = Steps(repeating: Double(line) + 0x1p52)
    var (before, behind) = (Side(), Side())
    forEachPair { x, y, latitude, numbers, mask in
      let isBehind = isGreater(isColumn ? x : y, line)
      before.add(x, y, latitude: latitude, numbers: numbers, where: mask & ~isBehind)
      behind.add(x, y, latitude: latitude, numbers: numbers, where: mask & isBehind)
    }
    return (before.part, behind.part)
  }

  @inline(never)
  private func portableQuarters(
    at x0: Int, _ y0: Int
  ) -> (Part, Part, Part, Part) {
    let column = Steps(repeating: Double(x0) + 0x1p52)
    let row = Steps(repeating: Double(y0) + 0x1p52)
    var (a, b, c, d) = (Side(), Side(), Side(), Side())
    forEachPair { x, y, latitude, numbers, mask in
      let (isEast, isSouth) = (isGreater(x, column), isGreater(y, row))
      a.add(x, y, latitude: latitude, numbers: numbers, where: mask & ~isEast & ~isSouth)
      b.add(x, y, latitude: latitude, numbers: numbers, where: mask & isEast & ~isSouth)
      c.add(x, y, latitude: latitude, numbers: numbers, where: mask & ~isEast & isSouth)
      d.add(x, y, latitude: latitude, numbers: numbers, where: mask & isEast & isSouth)
    }
    return (a.part, b.part, c.part, d.part)
  }

  /// Calls `body` with pairs of points; for an odd count the last mask excludes the second one.
  @inline(__always)
  private func forEachPair(
    _ body: (_ x: Steps, _ y: Steps, _ latitude: Bits, _ numbers: Steps, _ mask: Bits) -> Void
  ) {
    let curve = StepDegrees.Curve(degrees, interval)
    var numbers = Steps(0, 1)
    @inline(__always)
    func give(_ pair: Bits, _ mask: Bits) {
      let x = steps(pair & stepBits | exponent)
      let y = steps(pair &>> 32 | exponent)
      body(x, y, latitudes(y, curve), numbers, mask)
      numbers += 2
    }
    let memory = UnsafeRawPointer(positions)
    var at = 0
    while at &+ 1 < count {
      give(memory.loadUnaligned(fromByteOffset: at &* 8, as: Bits.self), Bits(repeating: .max))
      at &+= 2
    }
    if at < count {
      let last = memory.loadUnaligned(fromByteOffset: at &* 8, as: UInt64.self)
      give(Bits(repeating: last), Bits(.max, 0))
    }
  }

  /// The latitudes of two values of y, with the magic number of ``FixedDegrees`` added.
  @inline(__always)
  private func latitudes(_ y: Steps, _ curve: StepDegrees.Curve) -> Bits {
    if isOneInterval {
      let k = curve.coefficients
      let d = (y - 0x1p52) - curve.middle
      var units = Steps(repeating: k[4])
      units = Steps(repeating: k[3]) + d * units
      units = Steps(repeating: k[2]) + d * units
      units = Steps(repeating: k[1]) + d * units
      units = Steps(repeating: k[0]) + d * units
      return bits(units + Steps(repeating: FixedDegrees.magic))
    }
    let latitudes = (degrees.latitude(step(y[0])), degrees.latitude(step(y[1])))
    return Bits(UInt64(bitPattern: latitudes.0), UInt64(bitPattern: latitudes.1))
      &+ FixedDegrees.magic.bitPattern
  }
}

// MARK: - Steps as doubles

@inline(__always)
private var exponent: LeafSplit.Bits { LeafSplit.Bits(repeating: 0x4330_0000_0000_0000) }

@inline(__always)
private var stepBits: LeafSplit.Bits { LeafSplit.Bits(repeating: 0xFFFF_FFFF) }

@inline(__always)
private var infinity: LeafSplit.Bits { LeafSplit.Bits(repeating: Double.infinity.bitPattern) }

@inline(__always)
private func bits(_ steps: LeafSplit.Steps) -> LeafSplit.Bits {
  unsafeBitCast(steps, to: LeafSplit.Bits.self)
}

@inline(__always)
private func steps(_ bits: LeafSplit.Bits) -> LeafSplit.Steps {
  unsafeBitCast(bits, to: LeafSplit.Steps.self)
}

@inline(__always)
private func step(_ double: Double) -> UInt32 { UInt32(truncatingIfNeeded: double.bitPattern) }

@inline(__always)
private func least(_ a: LeafSplit.Steps, _ b: LeafSplit.Steps) -> LeafSplit.Steps {
  a.replacing(with: b, where: b .< a)
}

@inline(__always)
private func greatest(_ a: LeafSplit.Steps, _ b: LeafSplit.Steps) -> LeafSplit.Steps {
  a.replacing(with: b, where: b .> a)
}

@inline(__always)
private func isGreater(_ a: LeafSplit.Steps, _ b: LeafSplit.Steps) -> LeafSplit.Bits {
  unsafeBitCast(a .> b, to: LeafSplit.Bits.self)
}
