import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  /// A tile: the annotations of its cells.
  func tile(_ id: String, _ parts: [String], _ request: HTTPRequest) throws -> Outcome {
    let given = try TileRequest(parts, query: request.query)
    let type = given.form.mediaType
    let snapshot = try snapshot(id)
    let asked = given.resolved(by: snapshot.info.temporal)
    let etag = entityTag(snapshot, request, type)
    let caching = asked.caching(at: snapshot)
    if request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, headers: [caching], etag: etag))
    }
    let collection = snapshot.collection
    return .response(
      to: request,
      isSmall: !asked.hasExpansion && SmallRead.isSmall(asked.viewport, over: collection),
      cost: { Cost(of: asked, over: collection) }
    ) {
      var response = try Resources.tile(asked, of: snapshot, type, etag)
      response.headers.removeAll { $0.name == caching.name }
      response.headers.append(caching)
      return response
    }
  }

  private static func tile(
    _ asked: TileRequest, of snapshot: CollectionSnapshot, _ type: MediaType, _ etag: String
  ) throws -> HTTPResponse {
    guard asked.form == .vector else {
      return HTTPResponse(
        try ClusterAnswer.json(asked.viewport, of: snapshot), type: type, etag: etag)
    }
    let answer = try ClusterAnswer(asked.viewport, of: snapshot)
    let body = try TileWriter(asked, answer).encode()
    return body.isEmpty
      ? HTTPResponse(status: 204, etag: etag)
      : HTTPResponse(body, type: type, etag: etag)
  }
}

extension TileRequest {
  /// How long the answer may be kept: for good if the request names the version that it is of.
  fileprivate func caching(at snapshot: CollectionSnapshot) -> (name: String, value: String) {
    let isCurrent = version.map(Int64.init) == snapshot.info.version
    return (
      "Cache-Control", isCurrent ? "public, max-age=31536000, immutable" : "no-cache"
    )
  }
}

extension TileRequest.Form {
  fileprivate var mediaType: MediaType {
    switch self {
    case .vector: .vectorTile
    case .geoJSON: .geoJSON
    }
  }
}
