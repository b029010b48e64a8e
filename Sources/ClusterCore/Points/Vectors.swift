import CVectors

/// The descent of a grid's summation and other loops for processors with vectors of 512 or 256 bits, which handle eight
/// points or four nodes at a time.
///
/// `@unchecked Sendable`: the functions are constants without state.
struct Vectors: @unchecked Sendable {
  let pointer: UnsafePointer<cvectors_functions>

  /// The functions. Loops take only the pointer with them.
  @inline(__always)
  var functions: cvectors_functions { pointer.pointee }

  /// The functions for this processor; nil if it lacks the instructions.
  static let best: Vectors? = cvectors_best().map(Vectors.init(pointer:))
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
