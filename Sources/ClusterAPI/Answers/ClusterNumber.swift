import ClusterCore

/// The numbers that clusters have as ids of features in vector tiles and GeoJSON, beside those of features.
enum ClusterNumber {
  /// The first number that is a cluster's.
  static let first: UInt64 = 1 << 52

  /// The number of a cluster, by its id: always the same, and exact as a double.
  static func number(of id: UnsafeRawBufferPointer) -> UInt64 {
    first | StableHash128(id).low & (first - 1)
  }
}
