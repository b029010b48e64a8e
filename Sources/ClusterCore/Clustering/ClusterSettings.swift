/// What is clustered, and how; validated.
public struct ClusterSettings: Hashable, Sendable {
  /// The most features that can be kept apart.
  public static let maximumKeptApart = 100

  /// Where a cluster sits.
  public var position: ClusterPosition = .centerOfMass
  /// At a zoom level above it nothing is clustered.
  public var maxZoomLevelForClustering: Double?
  /// A cell with fewer locations is not clustered.
  public var minUniqueLocationsForClustering = 0
  /// A cell with fewer features is not clustered.
  public var minPoints = 2
  /// Features that never join a cluster.
  public var keepApart: [FeatureID] = []
  /// Whether, where clustering is off, every feature is its own pin, spread around the coordinate
  /// that it contests.
  public var decluster = false
  /// In metres; see ``PinLayout``.
  public var distanceFromContestedLocation: Double = PinLayout.defaultDistance

  /// The defaults.
  public init() {}

  /// Checks the ranges.
  public func validate() throws(ImpossibleRequest) {
    try ImpossibleRequest.check(
      "minUniqueLocationsForClustering", minUniqueLocationsForClustering, in: 0...Int.max)
    try ImpossibleRequest.check("minPoints", minPoints, in: 0...Int.max)
    try ImpossibleRequest.check(
      "distanceFromContestedLocation", distanceFromContestedLocation, in: PinLayout.distances)
    guard keepApart.count <= ClusterSettings.maximumKeptApart else {
      throw ImpossibleRequest(
        field: "keepApart",
        detail: "keepApart has \(keepApart.count) ids, more than "
          + "\(ClusterSettings.maximumKeptApart)")
    }
  }
}
