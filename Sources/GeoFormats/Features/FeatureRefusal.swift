internal import ClusterCore

/// The reason why a feature, or the header of a table, is rejected.
struct FeatureRefusal: Error, Equatable {
  var detail: String

  /// There is no memory for the feature, which may be valid.
  static let outOfMemory = FeatureRefusal("out of memory")

  init(_ detail: String) { self.detail = detail }
}

extension Coordinate {
  func check() throws(FeatureRefusal) {
    if longitude.magnitude <= 180, latitude.magnitude <= 90 { return }
    if latitude.magnitude <= 90 { throw FeatureRefusal("longitude \(longitude) is beyond ±180") }
    let looksSwapped = latitude.magnitude <= 180 && longitude.magnitude <= 90
    throw FeatureRefusal(
      "latitude \(latitude) is beyond ±90"
        + (looksSwapped ? ": longitude and latitude look swapped" : ""))
  }
}
