import ClusterCore

/// The names by which clients tell what an annotation is, in GeoJSON and in vector tiles. Features' own properties of
/// these names are left out there: a client would take a pin for a cluster, or for another feature.
enum AnnotationMarks {
  /// The names.
  static let names = [
    "cluster", "cluster_id", "point_count", "point_count_abbreviated", "annotation_id",
    "feature_id",
  ]

  private static let all = names.map { Array($0.utf8) }

  /// Whether a name, in UTF-8, is one of them.
  static func contains(_ name: [UInt8]) -> Bool { all.contains(name) }
}

/// The numbers that clusters have as ids of features in vector tiles and GeoJSON, beside those of features.
enum ClusterNumber {
  /// The first number that is a cluster's.
  static let first: UInt64 = 1 << 52

  /// The number of a cluster, by its id: always the same, and exact as a double.
  static func number(of id: UnsafeRawBufferPointer) -> UInt64 {
    first | StableHash128(id).low & (first - 1)
  }
}
