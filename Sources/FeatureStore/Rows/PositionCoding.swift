import ClusterCore

/// The form of positions in the database: longitude, latitude and further ordinates, each a little-endian
/// IEEE 754 double.
enum PositionCoding {
  /// Encodes a position in `space` and returns the part of it that was used.
  static func encode(
    _ coordinate: Coordinate, _ further: UnsafeBufferPointer<Double>,
    into space: UnsafeMutableRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    put(coordinate.longitude, at: 0, in: space)
    put(coordinate.latitude, at: 1, in: space)
    for index in 0..<further.count { put(further[index], at: 2 + index, in: space) }
    return UnsafeRawBufferPointer(rebasing: space[..<(8 * (2 + further.count))])
  }

  /// Decodes a position, its further ordinates into `further`; nil if the bytes aren't one.
  static func decode(
    _ bytes: UnsafeRawBufferPointer, further: UnsafeMutableBufferPointer<Double>
  ) -> (coordinate: Coordinate, further: UnsafeBufferPointer<Double>)? {
    let count = bytes.count / 8 - 2
    guard bytes.count % 8 == 0, count >= 0, count <= further.count else { return nil }
    let coordinate = Coordinate(latitude: get(1, of: bytes), longitude: get(0, of: bytes))
    // Comparisons are false for NaN.
    guard coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180 else {
      return nil
    }
    for index in 0..<count {
      let ordinate = get(2 + index, of: bytes)
      guard ordinate.isFinite else { return nil }
      further[index] = ordinate
    }
    return (coordinate, UnsafeBufferPointer(rebasing: further[..<count]))
  }

  private static func put(_ value: Double, at index: Int, in space: UnsafeMutableRawBufferPointer) {
    space.storeBytes(
      of: value.bitPattern.littleEndian, toByteOffset: 8 * index, as: UInt64.self)
  }

  private static func get(_ index: Int, of bytes: UnsafeRawBufferPointer) -> Double {
    // SQLite doesn't align values within a page.
    Double(
      bitPattern: UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)))
  }
}
