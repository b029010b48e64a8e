import CVectors

/// Up to 64 coordinates, whose positions are found together, by vectors where the processor has them.
struct CoordinateBatch {
  /// The most coordinates.
  static let capacity = 64

  private let coordinates = WritableArray<SIMD2<Double>>(count: capacity)
  private let vectors: Vectors?
  private let steps = LatitudeSteps.shared.forVectors
  private(set) var count = 0

  /// Creates an empty batch.
  ///
  /// - Parameter vectors: the vectors to use; nil for none.
  init(vectors: Vectors? = .best) { self.vectors = vectors }

  /// Adds a coordinate. There must be fewer than ``capacity``.
  @inline(__always)
  mutating func append(_ coordinate: Coordinate) {
    assert(count < CoordinateBatch.capacity)
    coordinates.pointer[count] = SIMD2(coordinate.longitude, coordinate.latitude)
    count += 1
  }

  /// Writes the positions of the coordinates, those of ``Position/init(_:)-(Coordinate)``, and removes the coordinates.
  mutating func takePositions(_ target: UnsafeMutablePointer<Position>) {
    var rest = count < 64 ? 1 << UInt64(count) - 1 : UInt64.max
    if let vectors {
      rest = vectors.functions.positions(
        UnsafeRawPointer(coordinates.pointer).assumingMemoryBound(to: Double.self), count, steps,
        UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt64.self))
    }
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      let coordinate = coordinates.pointer[index]
      target[index] = Position(Coordinate(latitude: coordinate.y, longitude: coordinate.x))
      rest &= rest - 1
    }
    count = 0
  }
}
