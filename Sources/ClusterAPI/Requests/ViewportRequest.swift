import ClusterCore
import GeoFormats

/// How the features of a view are brought together.
enum ClusterMethod: String, CaseIterable {
  case grid, distance, collision

  /// Fields that mean nothing without a grid.
  static let gridOnly = [
    "clusterer", "cellSize", "maxZoomLevelForClustering", "minUniqueLocationsForClustering",
    "minPoints", "groups", "decluster", "debug",
  ]
  /// Fields of the methods without a grid.
  static let names = ["method", "epsilon", "markerSize", "priorityBy", "clusterBy"]
}

/// A view as far as it can be told without features: its rectangle, scale and method.
enum ViewportMethod {
  /// The request without what depends on features, and the settings of single groups.
  case grid(ClusterRequest, overrides: [[UInt8]: Grouping.Override])
  case tiles(MethodRequest)
}

extension ViewportMethod {
  /// The method with what depends on features.
  func bound(to properties: BoundProperties) -> ViewportMethod {
    switch self {
    case .grid(var request, let overrides):
      request.weights = properties.statistics.weights
      request.grouping = properties.grouping
      request.grouping?.overrides = overrides
      return .grid(request, overrides: overrides)
    case .tiles(var request):
      request.grouping = properties.grouping
      return .tiles(request)
    }
  }
}

/// What a viewport request asks for.
struct ViewportRequest {
  var method: ViewportMethod
  var properties: PropertyFields
  var output: AnnotationOptions
  var previous: [PreviousAnnotation]?
  /// Whether the cells are listed.
  var debug = false
  let margin: Double

  static let maximumGridCells = 10_000.0

  /// Reads all fields; the rectangle and the scale may be given otherwise, and where a `limit` is one
  /// of pages it isn't read.
  init(
    _ fields: Fields, rect givenRect: MapRect? = nil, scale givenScale: Viewport.Scale? = nil,
    isPaged: Bool = false
  ) throws {
    let kind = try fields.choice("method", ClusterMethod.self) ?? .grid
    if kind != .grid, let name = ClusterMethod.gridOnly.first(where: fields.has) {
      throw fields.problem(name, "\(name) means nothing to the method \(kind.rawValue)")
    }
    let rect = try givenRect ?? fields.visibleRect()
    let scale = try givenScale ?? fields.scale()
    let settings = try fields.clusterSettings()
    let maximum = ClusterRequest.maximumLimit
    let limit = isPaged ? maximum : try fields.integer("limit", in: 1...maximum) ?? maximum
    margin = try fields.number("marginFactor") ?? 0.5
    properties = try fields.propertyFields()
    output = try fields.outputOptions()
    previous = try fields.previous()
    let epsilon = try fields.epsilon()
    let markers = try fields.markers()
    switch kind {
    case .grid:
      let viewport = try Viewport(
        rect: rect, scale: scale, cellSize: try fields.number("cellSize") ?? 60,
        marginFactor: margin)
      let overrides = try fields.groupOverrides(viewport, settings)
      debug = try fields.bool("debug") ?? false
      if debug, viewport.cells.count > ViewportRequest.maximumGridCells {
        throw Viewport.tooManyCells(
          viewport.cells, limit: Int(ViewportRequest.maximumGridCells), cellSize: viewport.cellSize,
          field: "debug")
      }
      method = .grid(
        ClusterRequest(viewport, settings: settings, limit: limit), overrides: overrides)
    case .distance, .collision:
      let view = try TileViewport(rect: rect, scale: scale, marginFactor: margin)
      method = .tiles(
        MethodRequest(
          view: view, method: kind == .distance ? .distance(epsilon: epsilon) : .collision(markers),
          keepApart: settings.keepApart, limit: limit))
    }
  }

  /// The zoom, rounded to 1/1000.
  var zoomLevel: Double {
    switch method {
    case .grid(let request, _): request.zoomLevel
    case .tiles(let request): request.view.zoomLevel
    }
  }
}

extension Fields {
  /// The reach of the distance method, in points.
  func epsilon() throws -> Double {
    guard let epsilon = try number("epsilon") else { return MethodRequest.defaultEpsilon }
    guard MethodRequest.epsilons.contains(epsilon) else {
      throw problem("epsilon", status: 422, "epsilon is \(epsilon), outside of 1…512")
    }
    return epsilon
  }

  /// The markers of the collision method.
  func markers() throws -> MethodRequest.Markers {
    var markers = MethodRequest.Markers()
    if let size = try numbers("markerSize") {
      guard size.count == 2 else {
        throw problem("markerSize", "markerSize is [width, height]: two numbers")
      }
      for (place, side) in size.enumerated() where !MethodRequest.markerSides.contains(side) {
        throw problem(
          inBody ? "markerSize/\(place)" : "markerSize", status: 422,
          "a side of markerSize is \(side), outside of 1…2048")
      }
      (markers.width, markers.height) = (size[0], size[1])
    }
    markers.priorityBy = try property("priorityBy")
    markers.clusterBy = try property("clusterBy")
    return markers
  }
}
