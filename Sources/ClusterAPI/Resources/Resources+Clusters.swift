import ClusterCore
import Collections
import GeoFormats
import HTTPServer

extension Resources {
  func clusters(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let (asked, properties) = try viewport(request)
    let type: MediaType = asked.values.cell.output.isGeoJSON ? .geoJSON : .json
    let snapshot = try snapshot(id)
    let resolved = asked.resolved(by: snapshot.info.temporal)
    let etag = entityTag(snapshot.info, request, type)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    let viewport = resolved.withIDForm(of: snapshot.index)
    let cached = CachedViewport(viewport, snapshot)
    // Only what isn't in the cache has to be worked for. Whether there are such properties may take long to tell.
    var missing: GridRange?
    switch properties.isEmpty ? try cached?.found() : nil {
    case .body(let body): return .now(HTTPResponse(body, type: type, etag: etag))
    case .missing(let part): missing = part
    case nil: break
    }
    let kind = ReadKind(.clusters, of: id, viewport, in: missing)
    return .response(to: request, kind: kind) {
      try snapshot.collection.check(properties: properties)
      if let body = try cached?.body() {
        return HTTPResponse(body, type: type, etag: etag)
      }
      return HTTPResponse(try ClusterAnswer.json(viewport, of: snapshot), type: type, etag: etag)
    }
  }

  /// Reads a viewport request and chooses the form of its answer.
  ///
  /// - Returns: the request, which asks for the properties that are parameters of a query, and those.
  func viewport(_ request: HTTPRequest) throws -> (
    ViewportRequest, properties: [Fields.AskedProperty]
  ) {
    try withViewportFields(request, .clusters) { fields, format in
      var viewport = try ViewportRequest(fields)
      let type = try request.negotiate([.json, .geoJSON], format: format)
      if type == .geoJSON { viewport.values.cell.output.isGeoJSON = true }
      if !fields.properties.isEmpty {
        let filter = viewport.values.cell.properties.filter
        viewport.values.cell.properties.filter = try fields.narrowed(filter)
      }
      return (viewport, try fields.askedProperties())
    }
  }
}
