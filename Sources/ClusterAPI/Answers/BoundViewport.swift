import ClusterCore

/// A viewport request with the values of properties that it takes from a collection.
enum BoundViewport {
  case grid(ClusterRequest)
  case tiles(MethodRequest)

  init(_ request: ViewportRequest, _ properties: BoundProperties) {
    let values = request.values
    let limit = values.limit ?? ClusterRequest.maximumLimit
    switch request.area {
    case .grid(let viewport, let overrides):
      var grid = ClusterRequest(viewport, settings: values.cell.settings, limit: limit)
      grid.weights = properties.statistics.weights
      grid.grouping = properties.grouping
      grid.grouping?.overrides = overrides
      self = .grid(grid)
    case .tiles(let viewport):
      var tiles = MethodRequest(
        viewport: viewport,
        method: values.method == .distance
          ? .distance(epsilon: values.epsilon) : .collision(values.markers),
        keepApart: values.cell.settings.keepApart, limit: limit)
      tiles.grouping = properties.grouping
      self = .tiles(tiles)
    }
  }
}
