/// A validated request to cluster features on a grid.
public struct ClusterRequest: Sendable {
  /// The request's own cells.
  public var cells: GridRange
  /// The zoom of the grid.
  public var zoomLevel: Double
  /// The zoom at which the client shows it, which is the size of points.
  public var screenZoom: Double
  /// The width of a cell in points.
  public var cellSize: Double
  /// The settings.
  public var settings: ClusterSettings
  /// The groups to cluster separately, if any.
  public var grouping: Grouping?
  /// The weights of features in means, if any.
  public var weights: PropertyColumn?
  /// The maximum number of annotations, 1…10 000.
  public var limit: Int

  /// The maximum number of annotations of any request.
  public static let maximumLimit = 10_000
}

extension ClusterRequest {
  /// Creates a request for a viewport.
  public init(_ viewport: Viewport, settings: ClusterSettings, limit: Int) {
    self.init(
      cells: viewport.cells, zoomLevel: viewport.zoomLevel, screenZoom: viewport.screenZoom,
      cellSize: viewport.cellSize, settings: settings, limit: limit)
  }

  /// The weights of the means at which clusters are drawn, if any.
  var weightsOfMeans: PropertyColumn? { settings.position == .centerOfMass ? weights : nil }

  /// Whether nothing is clustered at the request's zoom.
  var isClusteringOff: Bool { settings.isClusteringOff(atZoom: zoomLevel) }

  /// Whether the features of a cell are one annotation.
  func isClustered(_ sum: CellSum) -> Bool {
    !isClusteringOff && settings.areMet(by: sum)
  }

  /// Whether features may be drawn in other cells than those in which they are counted.
  public var hasCellsOfGroups: Bool {
    grouping?.overrides.values.contains { $0.cellSize != cellSize } ?? false
  }

  /// At least the request's own cells and those of its groups.
  var allCells: UnionRegion<CellsRegion> {
    var ranges = [cells.grid: cells]
    for override in grouping?.overrides.values ?? [:].values {
      ranges[override.cells.grid] = override.cells
    }
    // With more grids than clients have a use for, looking at each would take longer than it saves.
    return UnionRegion(parts: ranges.count > 16 ? [] : ranges.values.map(CellsRegion.init))
  }

  /// The request for a single group, with the group's overrides.
  func layer(ofKey key: [UInt8]?) -> ClusterRequest {
    guard let own = grouping?.overrides[key ?? KeyColumn.nullKey] else { return self }
    var request = self
    (request.cells, request.cellSize, request.settings) = (own.cells, own.cellSize, own.settings)
    return request
  }
}

extension ClusterRequest {
  /// The error for more annotations than the limit.
  public func tooMany(_ count: Int) -> ImpossibleRequest {
    .tooMany(annotations: count, limit: limit, remedyForMoreThanAnyLimit)
  }

  /// The changes to the request that make every cell one annotation and the cells few enough.
  private var remedyForMoreThanAnyLimit: String {
    if grouping != nil { return "a smaller rect, a filter, or groupBy by another property" }
    var parts: [String] = []
    let room = max(limit - settings.keepApart.count, 1)
    if cells.count > Double(room) {
      let slack = settings.zoomStep.slackOfWholeZooms
      parts.append(cells.remedy(limit: room, cellSize: cellSize, slack: slack))
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
}

extension ImpossibleRequest {
  /// The error for more annotations than a limit, with the remedy for more than any limit.
  static func tooMany(
    annotations count: Int, limit: Int, _ remedy: @autoclosure () -> String
  ) -> ImpossibleRequest {
    let maximum = ClusterRequest.maximumLimit
    let detail =
      count > maximum
      ? "the viewport holds more than \(maximum) annotations; \(remedy()) would do"
      : "the viewport holds \(count) annotations, more than the limit of \(limit); a limit of \(count) would do"
    return ImpossibleRequest(field: "limit", detail: detail)
  }
}
