import CVectors

/// Versions of the loops of ``LeafSplit`` and ``GridWindow`` for processors with 512-bit vectors, which
/// handle eight points or four nodes at a time.
///
/// `@unchecked Sendable`: the functions are constants without state.
struct Vectors: @unchecked Sendable {
  let functions: cvectors_functions

  /// The functions for this processor; nil if it lacks the instructions.
  static let best: Vectors? = cvectors_best().map { Vectors(functions: $0.pointee) }
}

extension PointSum {
  /// Creates the sum that a vectorized function returned.
  @inline(__always)
  init(_ sum: cvectors_sum) {
    count = Int(truncatingIfNeeded: sum.count)
    longitudes = sum.longitudes
    latitudes = Int64(
      bitPattern: sum.latitudes &- sum.count &* FixedDegrees.magic.bitPattern)
    box = PositionBox(minX: sum.min_x, minY: sum.min_y, maxX: sum.max_x, maxY: sum.max_y)
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
