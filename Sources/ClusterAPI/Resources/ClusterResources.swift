import ClusterCore
import GeoFormats
import HTTPServer

extension API {
  func clusters(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let (view, format) = try withViewFields(request) { fields, format in
      (try ViewportRequest(fields), format)
    }
    let type = try request.negotiate([.json, .geoJSON], format: format)
    let snapshot = try snapshot(id)
    let etag = entityTag(snapshot, request, type)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    let remembered = CachedViewport(view, type, snapshot, catalog.cellCacheBudget)
    if let body = remembered?.body(clustering: false) {
      return .now(HTTPResponse(body, type: type, etag: etag))
    }
    return try answer(isLong: view.isLong(over: snapshot.collection)) {
      if let body = remembered?.body(clustering: true) {
        return HTTPResponse(body, type: type, etag: etag)
      }
      return HTTPResponse(try API.answer(view, snapshot).json(type), type: type, etag: etag)
    }
  }

  /// The answer to a viewport request.
  static func answer(_ view: ViewportRequest, _ snapshot: CollectionSnapshot) throws
    -> ClusterAnswer
  {
    let collection = snapshot.collection
    let properties = BoundProperties(view.properties, in: collection)
    let (scope, result) = try clusters(view, properties, in: collection)
    var answer = ClusterAnswer(snapshot: snapshot, result: result)
    answer.statistics = properties.annotationStatistics
    answer.output = view.output
    answer.describe(view.method)
    if view.debug, case .grid(let request, _) = view.method {
      answer.debugCells = (request.cells, scope.countsByCell(request.cells))
    }
    if let previous = view.previous {
      var still = AnnotationReuse(
        previous, in: scope, grouping: properties.grouping, keys: { API.keys($0, of: collection) })
      try still.settle(&answer.result)
      answer.changes = (previous.map(\.id), still.removed)
    }
    return answer
  }

  /// The annotations of a view, and the features that pass its filter, at least those in the view.
  static func clusters(
    _ view: ViewportRequest, _ properties: BoundProperties, in collection: IndexedCollection
  ) throws -> (scope: FeatureScope, result: ClusterResult) {
    switch view.method.bound(to: properties) {
    case .grid(let request, _):
      let scope = FeatureScope(collection, passing: properties.filter, near: request)
      return (scope, try scope.clusters(request))
    case .tiles(let request):
      let scope = FeatureScope(collection, passing: properties.filter, near: request.view.tiles)
      return (scope, try scope.clusters(request, markers: API.markers(request, of: collection)))
    }
  }

  /// The values that markers go by.
  static func markers(_ request: MethodRequest, of collection: IndexedCollection) -> MarkerColumns {
    guard case .collision(let markers) = request.method else { return MarkerColumns() }
    return MarkerColumns(
      priorities: markers.priorityBy.map { column($0, of: collection) },
      clusterKeys: markers.clusterBy.map { keys($0, of: collection) })
  }

  /// An answer that is made here and now, or, where that may take long, away from the event loops.
  func answer(
    isLong: Bool, _ make: @escaping @Sendable () throws -> HTTPResponse
  ) throws -> Outcome {
    isLong ? .later(make) : .now(try make())
  }

  /// Reads the fields of a viewport from the body of a POST or the query of a GET; a POST's query
  /// holds the format only.
  func withViewFields<R>(
    _ request: HTTPRequest, _ body: (Fields, _ format: String?) throws -> R
  ) throws -> R {
    guard request.method == .post else {
      let fields = try Fields(query: request.query, allowed: ViewportFields.query)
      return try body(fields, try fields.string("f"))
    }
    let query = try Fields(query: request.query, allowed: ["f"])
    try request.checkBodyType([.json])
    return try withBodyObject(request, allowed: ViewportFields.all) { fields, _ in
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
