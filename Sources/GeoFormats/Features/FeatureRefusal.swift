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

  /// A refusal that is told with its reason, or is only counted, and then has none.
  init(if isTold: Bool, _ detail: @autoclosure () -> String) {
    self.init(isTold ? detail() : "")
  }
}

extension Coordinate {
  /// The words for numbers that no degrees have.
  static let projected =
    "beyond ±360 degrees: projected coordinates, it seems; degrees of WGS 84 are needed, as "
    + "ogr2ogr -s_srs EPSG:N -t_srs EPSG:4326 makes them, N being the number of their system"

  /// Whether it can be degrees at all.
  var isProjected: Bool { max(longitude.magnitude, latitude.magnitude) > 360 }

  func check(isTold: Bool = true) throws(FeatureRefusal) {
    if longitude.magnitude <= 180, latitude.magnitude <= 90 { return }
    if isProjected {
      throw FeatureRefusal(if: isTold, "[\(longitude), \(latitude)] is \(Coordinate.projected)")
    }
    if latitude.magnitude <= 90 {
      throw FeatureRefusal(if: isTold, "longitude \(longitude) is beyond ±180")
    }
    // A latitude hardly beyond a pole is a rounded one.
    let looksSwapped = (90.001...180).contains(latitude.magnitude) && longitude.magnitude <= 90
    throw FeatureRefusal(
      if: isTold,
      "latitude \(latitude) is beyond ±90"
        + (looksSwapped ? ": longitude and latitude look swapped" : ""))
  }
}
