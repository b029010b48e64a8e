extension ClusterRequest {
  /// The error for more annotations than the limit.
  public func tooMany(_ count: Int) -> ImpossibleRequest {
    let maximum = ClusterRequest.maximumLimit
    let found =
      count > maximum
      ? "the viewport holds more than \(maximum) annotations"
      : "the viewport holds \(count) annotations, more than the limit of \(limit)"
    let remedy = count <= maximum ? "a limit of \(count)" : remedyForMoreThanAnyLimit
    return ImpossibleRequest(field: "limit", detail: "\(found); \(remedy) would do")
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
