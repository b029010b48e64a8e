internal import ClusterCore

/// The reason why a feature, or the header of a table, is rejected.
struct FeatureRefusal: Error {
  let detail: String
  /// Whether there is no memory for the feature, which may be valid.
  let isOutOfMemory: Bool

  static let outOfMemory = FeatureRefusal("out of memory", isOutOfMemory: true)

  init(_ detail: String, isOutOfMemory: Bool = false) {
    (self.detail, self.isOutOfMemory) = (detail, isOutOfMemory)
  }
}

extension Coordinate {
  func check() throws(FeatureRefusal) {
    if longitude.magnitude <= 180, latitude.magnitude <= 90 { return }
    if latitude.magnitude <= 90 { throw FeatureRefusal("longitude \(longitude) is beyond ±180") }
    // A latitude hardly beyond a pole is a rounded one.
    let looksSwapped = (90.001...180).contains(latitude.magnitude) && longitude.magnitude <= 90
    throw FeatureRefusal(
      "latitude \(latitude) is beyond ±90"
        + (looksSwapped ? ": longitude and latitude look swapped" : ""))
  }
}
