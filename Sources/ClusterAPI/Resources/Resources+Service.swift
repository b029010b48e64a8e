import GeoFormats
import HTTPServer

extension Resources {
  private static func links(_ base: String) -> [Link] {
    [
      Link("\(base)/", "self", .json, "This page"),
      Link("\(base)/api", "service-desc", .openAPI, "The API, as OpenAPI 3.0"),
      Link("\(base)/openapi.yaml", "service-desc", .yaml, "The API, as OpenAPI 3.1"),
      Link("\(base)/conformance", "conformance", .json, "What the service conforms to"),
      Link("\(base)/collections", "data", .json, "The collections"),
      Link("\(base)/health/ready", "status", .json, "Whether every collection is loaded"),
      Link("\(base)/metrics", "related", .plain, "Figures for Prometheus"),
    ]
  }

  func landing(_ request: HTTPRequest) throws -> HTTPResponse {
    if try request.answerType([.json, .html]) == .html {
      return HTTPResponse(
        status: 200, headers: [("Content-Type", "text/html; charset=utf-8")],
        body: Array(
          Resources.page(
            catalog.page(offset: 0, limit: Resources.usualPage), of: catalog.count,
            base(of: request)
          ).utf8))
    }
    let links = Resources.links(base(of: request))
    var response = HTTPResponse { json in
      json.member("title", "pincluster")
      json.member("description", "Map pins, clustered exactly: what to draw in a viewport.")
      json.links(links)
    }
    response.add(links)
    return response
  }

  /// The landing page for people, with the first collections of a number. Ids of collections need no escaping.
  private static func page(
    _ collections: [CollectionSnapshot], of count: Int, _ base: String
  ) -> String {
    let rows = collections.map { snapshot in
      let path = "\(base)/collections/\(snapshot.info.id)"
      let world = "\(path)/clusters?bbox=-180,-85,180,85&amp;viewportWidth=1024"
      return """
        <tr><td><a href="\(path)">\(snapshot.info.id)</a></td><td>\(snapshot.index.count)</td>
        <td><a href="\(path)/items">items</a> <a href="\(world)">the world, clustered</a></td></tr>
        """
    }
    let rest = count - collections.count
    let more =
      rest > 0
      ? "<p><a href=\"\(base)/collections?offset=\(collections.count)\">\(rest) more</a></p>" : ""
    let links = links(base).dropFirst().map {
      "<li><a href=\"\($0.href)\">\($0.title)</a></li>"
    }
    return """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>pincluster</title>
      <meta name="viewport" content="width=device-width"><style>body{font:16px/1.5 system-ui,\
      sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}td{padding:.2rem 1rem .2rem 0}\
      </style></head><body><h1>pincluster</h1>
      <p>Map pins, clustered exactly: what to draw in a viewport.</p>
      <table>\(rows.joined())</table>\(more)<ul>\(links.joined())</ul></body></html>
      """
  }

  func conformance(_ request: HTTPRequest) throws -> HTTPResponse {
    _ = try request.answerType([.json])
    return HTTPResponse { json in
      json.array("conformsTo") { json in
        for part in ["core", "geojson"] {
          json.value("http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/\(part)")
        }
      }
    }
  }

  func live(_ request: HTTPRequest) throws -> HTTPResponse { try status(request, isUp: true) }

  func ready(_ request: HTTPRequest) throws -> HTTPResponse {
    try status(request, isUp: catalog.isReady)
  }

  private func status(_ request: HTTPRequest, isUp: Bool) throws -> HTTPResponse {
    _ = try request.answerType([.json], hasFormat: false)
    guard isUp else {
      throw Problem.unavailable(
        catalog.isDetached
          ? "the data directory has been removed or replaced" : "not every collection is loaded")
    }
    return HTTPResponse { $0.member("status", "ok") }
  }

  func metricsText(_ request: HTTPRequest) throws -> Outcome {
    _ = try request.answerType([.plain], hasFormat: false)
    let cost = { @Sendable [catalog] in Cost(ofMetrics: catalog.count) }
    return .response(to: request, cost: cost) { [self] in
      HTTPResponse(
        status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
        body: Array(metrics.text(catalog, writer.counts, hub).utf8))
    }
  }
}
