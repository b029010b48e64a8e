/// The settings of a clustering; see ``validate()`` for their ranges.
public struct ClusterSettings: Hashable, Sendable {
  /// The maximum number of features that are kept apart.
  public static let maximumKeptApart = 100

  /// The steps in which the grid follows the zoom.
  public var zoomStep = ZoomStep.finest
  /// Where clusters are drawn.
  public var position: ClusterPosition = .centerOfMass
  /// The zoom level above which nothing is clustered.
  public var maxZoomLevelForClustering: Double?
  /// The number of locations below which a cell is not clustered.
  public var minUniqueLocationsForClustering = 0
  /// The number of features below which a cell is not clustered.
  public var minPoints = 2
  /// Features that never join a cluster.
  public var keepApart: [FeatureID] = []
  /// Whether each feature of a cell that is not clustered becomes a pin of its own, placed around its
  /// coordinate if other features share that.
  public var decluster = false
  /// The distance between pins that share a coordinate; see ``PinLayout``.
  public var distanceFromContestedLocation: Double = PinLayout.defaultDistance
  /// The figure in which these are placed.
  public var pinLayout = PinSpread.Figure.circle
  /// The unit of the distance.
  public var spreadUnit = PinSpread.Unit.meters

  /// Creates the default settings.
  public init() {}

  /// Whether nothing is clustered on the grid of a zoom.
  public func isClusteringOff(atZoom zoomLevel: Double) -> Bool {
    zoomLevel > maxZoomLevelForClustering ?? .infinity
  }

  /// Whether the features of a cell are one annotation where clustering isn't off.
  func areMet(by sum: CellSum) -> Bool {
    // A single feature becomes a pin; with decluster, pins are made for features rather than locations.
    sum.count > (decluster ? 1 : 0) && sum.count >= minPoints
      && (minUniqueLocationsForClustering <= 1 || sum.locations >= minUniqueLocationsForClustering)
  }

  /// How pins that share a coordinate are placed at a zoom.
  public func spread(atZoom zoomLevel: Double) -> PinSpread {
    var spread = PinSpread(distance: distanceFromContestedLocation)
    spread.figure = pinLayout
    if spreadUnit == .points {
      spread.mapPointsPerPoint = WebMercator.mapPointsPerPoint(zoom: zoomLevel)
    }
    return spread
  }

  /// Throws unless all settings are in their ranges.
  ///
  /// - Throws: ``ImpossibleRequest`` with the name of the setting.
  public func validate() throws(ImpossibleRequest) {
    try ImpossibleRequest.check("zoomStep", zoomStep.value, in: ZoomStep.values)
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

extension ClusterSettings {
  /// The default settings.
  public static let standard = ClusterSettings()

  /// The needs of clustering by the settings, whatever the zoom.
  public var needs: Needs {
    let standard = ClusterSettings.standard
    guard self != standard else { return [] }
    var (needs, rest) = (Needs(), self)
    // The grid is made already.
    needs.tell(&rest.zoomStep, standard.zoomStep)
    needs.tell(&rest.position, standard.position, position == .nearCenter ? .singles : .places)
    needs.tell(&rest.maxZoomLevelForClustering, standard.maxZoomLevelForClustering, .zoom)
    // Each cell with a feature has a location.
    needs.tell(
      &rest.minUniqueLocationsForClustering, standard.minUniqueLocationsForClustering,
      minUniqueLocationsForClustering > 1 ? .singles : [])
    needs.tell(&rest.minPoints, standard.minPoints, .singles)
    needs.tell(&rest.keepApart, standard.keepApart, [.keptApart, .singles])
    needs.tell(&rest.decluster, standard.decluster, [.spreadPins, .singles])
    // These place the pins of `decluster`.
    needs.tell(&rest.distanceFromContestedLocation, standard.distanceFromContestedLocation)
    needs.tell(&rest.pinLayout, standard.pinLayout)
    needs.tell(&rest.spreadUnit, standard.spreadUnit)
    if rest != standard { needs.insert(.unknown) }
    return needs
  }
}

/// Where a cluster is drawn.
public enum ClusterPosition: String, Sendable, CaseIterable {
  /// At the mean latitude and mean longitude of its features.
  case centerOfMass
  /// At its feature nearest to the cell's centre, in map points.
  case nearCenter
  /// At the cell's centre.
  case cellCenter
  /// At its first feature in index order.
  case first
}
