/// What is to be clustered on a grid, and how; validated.
public struct ClusterRequest: Sendable {
  /// The request's own cells.
  public var cells: GridRange
  /// The zoom, rounded to 1/1000.
  public var zoomLevel: Double
  /// A cell's width in points.
  public var cellSize: Double
  /// How to cluster.
  public var settings: ClusterSettings
  /// Clusters groups apart from each other, if it is set.
  public var grouping: Grouping?
  /// Weighs features in means, if it is set.
  public var weights: PropertyColumn?
  /// The most annotations, 1…10 000.
  public var limit: Int

  /// A request for a viewport.
  public init(_ viewport: Viewport, settings: ClusterSettings, limit: Int) {
    self.init(
      cells: viewport.cells, zoomLevel: viewport.zoomLevel, cellSize: viewport.cellSize,
      settings: settings, limit: limit)
  }

  init(
    cells: GridRange, zoomLevel: Double, cellSize: Double, settings: ClusterSettings, limit: Int
  ) {
    self.cells = cells
    self.zoomLevel = zoomLevel
    self.cellSize = cellSize
    self.settings = settings
    self.limit = limit
  }

  /// The most annotations that any request may ask for.
  public static let maximumLimit = 10_000

  /// What weighs the means at which clusters sit, if they do and it is asked for.
  var weightsOfMeans: PropertyColumn? { settings.position == .centerOfMass ? weights : nil }

  /// Whether the features of a cell are one annotation.
  func isClustered(_ sum: CellSum) -> Bool {
    if let zoom = settings.maxZoomLevelForClustering, zoomLevel > zoom { return false }
    // A lone feature is a pin; with decluster every pin is one of its own.
    return sum.count > (settings.decluster ? 1 : 0) && sum.count >= settings.minPoints
      && (settings.minUniqueLocationsForClustering <= 1
        || sum.locations >= settings.minUniqueLocationsForClustering)
  }

  /// The request as it is for one group.
  func layer(ofKey key: [UInt8]?) -> ClusterRequest {
    guard let own = grouping?.overrides[key ?? KeyColumn.nullKey] else { return self }
    var request = self
    (request.cells, request.cellSize, request.settings) = (own.cells, own.cellSize, own.settings)
    return request
  }
}

/// Which features are clustered apart from which.
public struct Grouping: Sendable {
  /// What a group has of its own.
  public struct Override: Sendable {
    /// Its cells.
    public var cells: GridRange
    /// Their width in points.
    public var cellSize: Double
    /// How its features are clustered.
    public var settings: ClusterSettings

    /// Creates the settings of a group.
    public init(cells: GridRange, cellSize: Double, settings: ClusterSettings) {
      self.cells = cells
      self.cellSize = cellSize
      self.settings = settings
    }
  }

  /// The property, in UTF-8.
  public let property: [UInt8]
  /// The value of each feature.
  public let keys: KeyColumn
  /// What some groups have of their own, by key.
  public var overrides: [[UInt8]: Override] = [:]

  /// Groups by a property.
  public init(property: [UInt8], keys: KeyColumn, overrides: [[UInt8]: Override] = [:]) {
    self.property = property
    self.keys = keys
    self.overrides = overrides
  }

  /// The group of a rank.
  func group(_ rank: Int) -> ClusterGroup {
    let key = rank == 0 ? nil : keys.keys[rank]
    return ClusterGroup(name: GroupName(property: property, key: key), key: key)
  }
}

extension ClusterRequest {
  /// The error for more annotations than the limit.
  func tooMany(_ count: Int) -> ImpossibleRequest {
    let maximum = ClusterRequest.maximumLimit
    let found =
      count > maximum
      ? "the view holds more than \(maximum) annotations"
      : "the view holds \(count) annotations, more than the limit of \(limit)"
    let remedy = count <= maximum ? "a limit of \(count)" : remedyForMoreThanAnyLimit
    return ImpossibleRequest(field: "limit", detail: "\(found); \(remedy) would do")
  }

  /// What makes every cell one annotation, and the cells few enough.
  private var remedyForMoreThanAnyLimit: String {
    if grouping != nil { return "a smaller rect, a filter, or groupBy by another property" }
    var parts: [String] = []
    let room = max(limit - settings.keepApart.count, 1)
    if cells.count > Double(room) {
      parts.append(cells.remedy(limit: room, cellSize: cellSize))
    }
    if isClusteringOff {
      parts.append("a maxZoomLevelForClustering of \(ImpossibleRequest.plain(zoomLevel))")
    }
    if settings.minPoints > 2 { parts.append("a minPoints of 2") }
    if settings.minUniqueLocationsForClustering > 1 {
      parts.append("a minUniqueLocationsForClustering of 1")
    }
    return parts.isEmpty ? "a smaller rect" : parts.joined(separator: " with ")
  }

  private var isClusteringOff: Bool {
    settings.maxZoomLevelForClustering.map { zoomLevel > $0 } ?? false
  }
}
