import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  func clusters(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try .reading(request.body) { try self.readClusters(id, request) }
  }

  private func readClusters(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let asked = try viewport(request)
    let type: MediaType = asked.values.cell.output.isGeoJSON ? .geoJSON : .json
    let snapshot = try snapshot(id)
    let viewport = asked.resolved(by: snapshot.info.temporal)
    let etag = entityTag(snapshot, request, type)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    let cached = CachedViewport(viewport, snapshot, catalog.cellCacheBudget)
    // Only what isn't in the cache has to be worked for.
    var missing: GridRange?
    switch try cached?.found() {
    case .body(let body): return .now(HTTPResponse(body, type: type, etag: etag))
    case .missing(let part): missing = part
    case nil: break
    }
    let (part, collection) = (missing, snapshot.collection)
    return .response(
      to: request, isSmall: SmallRead.isSmall(viewport, in: part, over: collection),
      cost: { Cost(of: viewport, in: part, over: collection) }
    ) {
      if let body = try cached?.body() {
        return HTTPResponse(body, type: type, etag: etag)
      }
      return HTTPResponse(try ClusterAnswer.json(viewport, of: snapshot), type: type, etag: etag)
    }
  }

  /// Reads a viewport request and chooses the form of its answer.
  func viewport(_ request: HTTPRequest) throws -> ViewportRequest {
    try withViewportFields(request, .clusters) { fields, format in
      var viewport = try ViewportRequest(fields)
      let type = try request.negotiate([.json, .geoJSON], format: format)
      viewport.values.cell.output.isGeoJSON = type == .geoJSON
      return viewport
    }
  }
}
