import ClusterCore

/// Encodes and decodes positions as they lie in the database: longitude, latitude and further ordinates, each
/// a little-endian IEEE 754 double.
final class PositionCoder {
  private let space = UnsafeMutableRawBufferPointer.allocate(
    byteCount: 8 * (2 + FeatureBatch.maximumFurtherOrdinates), alignment: 8)

  deinit { space.deallocate() }

  /// Encodes the position of a record. The bytes are valid until the coder is used again.
  func encode(_ record: FeatureRecord) -> UnsafeRawBufferPointer {
    let (coordinate, further) = (record.coordinate, record.furtherOrdinates)
    put(coordinate.longitude, at: 0)
    put(coordinate.latitude, at: 1)
    for index in 0..<further.count { put(further[index], at: 2 + index) }
    return UnsafeRawBufferPointer(rebasing: space[..<(8 * (2 + further.count))])
  }

  /// Decodes a position, nil if the bytes aren't one. The ordinates are valid until the coder is used again.
  func decode(
    _ bytes: UnsafeRawBufferPointer
  ) -> (coordinate: Coordinate, further: UnsafeBufferPointer<Double>)? {
    guard bytes.count % 8 == 0, (16...space.count).contains(bytes.count) else { return nil }
    for index in 0..<bytes.count / 8 {
      // SQLite doesn't align values within a page.
      let bits = bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self)
      space.storeBytes(of: UInt64(littleEndian: bits), toByteOffset: 8 * index, as: UInt64.self)
    }
    let ordinates = space[..<bytes.count].assumingMemoryBound(to: Double.self)
    let coordinate = Coordinate(latitude: ordinates[1], longitude: ordinates[0])
    // Comparisons are false for NaN.
    guard coordinate.latitude.magnitude <= 90, coordinate.longitude.magnitude <= 180,
      ordinates[2...].allSatisfy(\.isFinite)
    else { return nil }
    return (coordinate, UnsafeBufferPointer(rebasing: ordinates[2...]))
  }

  private func put(_ value: Double, at index: Int) {
    space.storeBytes(
      of: value.bitPattern.littleEndian, toByteOffset: 8 * index, as: UInt64.self)
  }
}
