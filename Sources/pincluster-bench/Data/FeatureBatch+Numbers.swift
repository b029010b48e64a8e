import ClusterCore

extension FeatureBatch {
  /// Appends a Point with an integer id.
  mutating func append(
    _ id: Int, _ coordinate: Coordinate, _ properties: UnsafeRawBufferPointer
  ) throws {
    append(
      id: try FeatureID(integer: Int64(id)), coordinate: coordinate,
      further: UnsafeBufferPointer(start: nil, count: 0), properties: properties)
  }
}
