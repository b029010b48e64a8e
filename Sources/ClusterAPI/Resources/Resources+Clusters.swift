import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
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
    return try .response(isLong: view.isLong(over: snapshot.collection)) {
      if let body = remembered?.body(clustering: true) {
        return HTTPResponse(body, type: type, etag: etag)
      }
      return HTTPResponse(
        try ClusterAnswer(view, of: snapshot).json(), type: type, etag: etag)
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
}
