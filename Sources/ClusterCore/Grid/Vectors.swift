import CVectors

/// The loops of a view that are written for processors with vectors of 512 bits: what ``LeafSplit`` and
/// ``GridWindow`` do for all, eight points and four nodes at a time.
///
/// `@unchecked Sendable`: constants, which are functions without a state.
struct Vectors: @unchecked Sendable {
  let functions: cvectors_functions

  /// Those of this processor; nil where it hasn't the instructions.
  static let best: Vectors? = cvectors_best().map { Vectors(functions: $0.pointee) }
}

extension PointSum {
  /// What vectors have added up.
  @inline(__always)
  init(_ sum: cvectors_sum) {
    count = Int(truncatingIfNeeded: sum.count)
    longitudes = sum.longitudes
    latitudes = Int64(
      bitPattern: sum.latitudes &- sum.count &* FixedDegrees.magic.bitPattern)
    box = PositionBox(minX: sum.min_x, minY: sum.min_y, maxX: sum.max_x, maxY: sum.max_y)
  }
}

extension GridWindow.Block {
  /// The cells of one of the boxes that vectors have looked at.
  @inline(__always)
  init(_ cells: UnsafePointer<cvectors_cells>, _ box: Int) {
    // Of each axis a first and a last cell a box.
    let bytes = UnsafeRawPointer(cells) + box &* MemoryLayout<SIMD2<Int>>.stride
    let columns = bytes.loadUnaligned(as: SIMD2<Int>.self)
    let rows = bytes.loadUnaligned(fromByteOffset: 64, as: SIMD2<Int>.self)
    first = CellPosition(column: columns[0], row: rows[0])
    last = CellPosition(column: columns[1], row: rows[1])
    isInWindow = cells.pointee.is_inside &>> box & 1 != 0
  }
}
