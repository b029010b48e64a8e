import CVectors

/// Versions of the loops of ``LeafSplit`` and ``GridWindow`` for processors with vectors of 512 or 256 bits, which
/// handle eight points or four nodes at a time.
///
/// `@unchecked Sendable`: the functions are constants without state.
struct Vectors: @unchecked Sendable {
  private let pointer: UnsafePointer<cvectors_functions>

  /// The functions. Loops take only the pointer with them.
  @inline(__always)
  var functions: cvectors_functions { pointer.pointee }

  /// The functions for this processor; nil if it lacks the instructions.
  static let best: Vectors? = cvectors_best().map(Vectors.init(pointer:))

  /// All that this processor has the instructions for, the best first.
  static var usable: [Vectors] {
    // More than there are versions.
    (0..<8).compactMap { cvectors_usable($0) }.map(Vectors.init(pointer:))
  }
}

extension LeafSplit.Part {
  /// Creates the part that a vectorized function returned.
  @inline(__always)
  init(_ part: cvectors_sum) {
    sum.count = Int(truncatingIfNeeded: part.count)
    sum.longitudes = part.longitudes
    sum.latitudes = Int64(
      bitPattern: part.latitudes &- part.count &* FixedDegrees.magic.bitPattern)
    sum.box = PositionBox(minX: part.min_x, minY: part.min_y, maxX: part.max_x, maxY: part.max_y)
    first = part.count == 0 ? .max : Int(truncatingIfNeeded: part.first)
  }
}

extension GridWindow {
  /// Finds the cells and latitudes of up to eight points, as the vectorized function does. The points aren't
  /// beyond the projection.
  @inline(never)
  func locate(
    _ positions: UnsafePointer<Position>, _ count: Int, _ degrees: StepDegrees,
    _ found: UnsafeMutablePointer<cvectors_points>
  ) {
    let numbers = UnsafeMutableRawPointer(found).assumingMemoryBound(to: UInt64.self)
    (found.pointee.is_clear, found.pointee.is_inside) = (0, 0)
    for number in 0..<count {
      let position = positions[number]
      guard let cell = certainCell(of: position) else { continue }
      numbers[number] = UInt64(cell.column)
      numbers[8 + number] = UInt64(cell.row)
      found.pointee.is_clear |= 1 << number
      if contains(cell) { found.pointee.is_inside |= 1 << number }
    }
    for number in 0..<count {
      numbers[16 + number] =
        UInt64(bitPattern: degrees.latitude(positions[number].y)) &+ FixedDegrees.magic.bitPattern
    }
  }
}

extension CellPosition {
  /// The cell of one of the points that were located.
  @inline(__always)
  init(_ points: UnsafePointer<cvectors_points>, _ number: Int) {
    let numbers = UnsafeRawPointer(points).assumingMemoryBound(to: UInt64.self)
    self.init(
      column: Int(truncatingIfNeeded: numbers[number]),
      row: Int(truncatingIfNeeded: numbers[8 &+ number]))
  }
}

extension UnsafeMutablePointer<cvectors_points> {
  /// The latitude of a point in units of ``FixedDegrees``.
  @inline(__always)
  func latitude(_ number: Int) -> Int64 {
    let bits = UnsafeRawPointer(self).assumingMemoryBound(to: UInt64.self)[16 &+ number]
    return Int64(bitPattern: bits &- FixedDegrees.magic.bitPattern)
  }
}

extension GridWindow.CellSpan {
  /// Creates the span of one of the boxes that a vectorized function looked at.
  @inline(__always)
  init(_ cells: UnsafePointer<cvectors_cells>, _ box: Int) {
    // For each axis there is an array with the first and the last cell of each box.
    let bytes = UnsafeRawPointer(cells) + box &* MemoryLayout<SIMD2<Int>>.stride
    let columns = bytes.loadUnaligned(as: SIMD2<Int>.self)
    let rows = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD2<Int>.self)
    first = CellPosition(column: columns[0], row: rows[0])
    last = CellPosition(column: columns[1], row: rows[1])
    isInWindow = cells.pointee.is_inside &>> box & 1 != 0
  }
}
