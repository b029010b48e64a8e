import ClusterCore
import GeoFormats
import HTTPServer

extension API {
  func clusters(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let view = try viewport(request)
    let type = view.values.cell.output.form.mediaType
    let snapshot = try snapshot(id)
    let etag = entityTag(snapshot, request, type)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    let remembered = CachedViewport(view, snapshot, catalog.cellCacheBudget)
    if let body = remembered?.body(clustering: false) {
      return .now(HTTPResponse(body, type: type, etag: etag))
    }
    return try answer(isLong: view.isLong(over: snapshot.collection)) {
      if let body = remembered?.body(clustering: true) {
        return HTTPResponse(body, type: type, etag: etag)
      }
      return HTTPResponse(try API.answer(view, snapshot).json(), type: type, etag: etag)
    }
  }

  /// Reads a viewport request and chooses the form of its answer.
  func viewport(_ request: HTTPRequest) throws -> ViewportRequest {
    try withViewportFields(request, .clusters) { fields, format in
      var viewport = try ViewportRequest(fields)
      let type = try request.negotiate([.json, .geoJSON], format: format)
      viewport.values.cell.output.form = AnnotationOptions.Form(type)
      return viewport
    }
  }

  /// The answer to a viewport request.
  static func answer(_ view: ViewportRequest, _ snapshot: CollectionSnapshot) throws
    -> ClusterAnswer
  {
    let collection = snapshot.collection
    let properties = BoundProperties(view.values.cell.properties, in: collection)
    let (scope, result) = try clusters(view, properties, in: collection)
    var answer = ClusterAnswer(snapshot: snapshot, result: result)
    answer.statistics = properties.annotationStatistics
    answer.output = view.values.cell.output
    answer.describe(view.area)
    if view.values.debug, case .grid(let viewport, _) = view.area {
      answer.debugCells = (viewport.cells, scope.countsByCell(viewport.cells))
    }
    if let previous = view.values.previous {
      var reuse = AnnotationReuse(
        previous, in: scope, grouping: properties.grouping, keys: { collection.keys(of: $0) })
      try reuse.apply(to: &answer.result)
      answer.changes = (previous.map(\.id), reuse.removed)
    }
    return answer
  }

  /// The annotations of a view, and the features that pass its filter, at least those in the view.
  static func clusters(
    _ view: ViewportRequest, _ properties: BoundProperties, in collection: IndexedCollection
  ) throws -> (scope: FeatureScope, result: ClusterResult) {
    switch BoundViewport(view, properties) {
    case .grid(let request):
      let scope = FeatureScope(collection, passing: properties.filter, near: request)
      return (scope, try scope.clusters(request))
    case .tiles(let request):
      let scope = FeatureScope(collection, passing: properties.filter, near: request.viewport.tiles)
      return (scope, try scope.clusters(request, markers: collection.markers(request)))
    }
  }

  /// An answer that is made here and now, or, where that may take long, away from the event loops.
  func answer(
    isLong: Bool, _ make: @escaping @Sendable () throws -> HTTPResponse
  ) throws -> Outcome {
    isLong ? .later(make) : .now(try make())
  }

  /// Reads the fields of a viewport from the body of a POST or the query of a GET. A POST's query holds
  /// the format only.
  func withViewportFields<R>(
    _ request: HTTPRequest, _ names: ViewportNames, _ body: (Fields, _ format: String?) throws -> R
  ) throws -> R {
    guard request.method == .post else {
      let fields = try Fields(query: request.query, allowed: names.inQuery)
      return try body(fields, try fields.string("f"))
    }
    let query = try Fields(query: request.query, allowed: ["f"])
    try request.checkBodyType([.json])
    return try withBodyObject(request, allowed: names.inBody) { fields, _ in
      try body(fields, try query.string("f"))
    }
  }
}

extension HTTPResponse {
  /// An answer that is printed already.
  fileprivate init(_ body: [UInt8], type: MediaType, etag: String?) {
    self.init(status: 200, headers: CrossOrigin.fields(of: type), body: body, etag: etag)
  }
}
