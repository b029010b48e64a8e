import CVectors

/// A descent of ``GridSummation`` and other loops for processors with vectors of 512 or 256 bits, which handle eight
/// points or four nodes at a time.
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

extension PointSum {
  /// Creates the sum that a vectorized function returned.
  init(_ sum: cvectors_sum) {
    count = Int(truncatingIfNeeded: sum.count)
    longitudes = sum.longitudes
    latitudes = Int64(bitPattern: sum.latitudes)
    box = PositionBox(minX: sum.min_x, minY: sum.min_y, maxX: sum.max_x, maxY: sum.max_y)
  }
}

extension IndexPointers {
  /// The blocks and the window of some columns of the cells that are added up; nil if the grid or the table is too large
  /// for vectorized code.
  func descent(
    in window: GridWindow, _ columns: Range<Int>, of sums: CellSums
  ) -> cvectors_descent? {
    let cells = sums.cells
    // Some part of a cell must be clear of grid lines, and columns and rows are numbers of 31 bits.
    guard sums.canLend, cells.grid.quickStart &+ 2 < cells.grid.quickEnd else { return nil }
    return cvectors_descent(
      blocks: UnsafeRawPointer(blocks).assumingMemoryBound(to: cvectors_block.self),
      latitudes: degrees.forVectors(isOneInterval: false), window: window.forVectors,
      offset: UInt32(cells.offset(ofColumn: columns.lowerBound)),
      columns_in_row: UInt32(cells.columnCount),
      steps_per_cell: cells.grid.cellMapSize * Position.stepsPerMapPoint)
  }
}

// The layouts of values that vectorized code reads and writes are those of its structures.

extension GrowingArray<GridScratch.Siblings> {
  /// The address of the siblings, behind which there is as much room as was made.
  var forVectors: UnsafeMutablePointer<cvectors_siblings> {
    UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: cvectors_siblings.self)
  }
}
