internal import ClusterCore

extension Coordinate {
  /// The reason why a feature cannot have this coordinate; nil if it can.
  var problem: String? {
    if longitude.magnitude <= 180, latitude.magnitude <= 90 { return nil }
    if latitude.magnitude > 90, latitude.magnitude <= 180, longitude.magnitude <= 90 {
      return "latitude \(latitude) is beyond ±90: longitude and latitude look swapped"
    }
    if latitude.magnitude <= 90 { return "longitude \(longitude) is beyond ±180" }
    return "latitude \(latitude) is beyond ±90"
  }
}
