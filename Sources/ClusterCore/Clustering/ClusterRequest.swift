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

  /// Whether a group has cells of another size than the request's own, so that not all that is counted
  /// is drawn in these.
  public var hasCellsOfGroups: Bool {
    grouping?.overrides.values.contains { $0.cellSize != cellSize } ?? false
  }

  /// The request's own cells and those of its groups.
  var allCells: UnionRegion {
    var ranges = [cells.grid: cells]
    for override in grouping?.overrides.values ?? [:].values {
      ranges[override.cells.grid] = override.cells
    }
    return UnionRegion(Array(ranges.values))
  }

  /// The request as it is for one group.
  func layer(ofKey key: [UInt8]?) -> ClusterRequest {
    guard let own = grouping?.overrides[key ?? KeyColumn.nullKey] else { return self }
    var request = self
    (request.cells, request.cellSize, request.settings) = (own.cells, own.cellSize, own.settings)
    return request
  }
}
