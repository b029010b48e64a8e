import GeoFormats
import HTTPServer
import Threading

extension Resources {
  private static func links(_ base: String) -> [Link] {
    [
      Link("\(base)/", "self", .json, "This page"),
      Link("\(base)/api", "service-desc", .openAPI, "The API, as OpenAPI 3.0"),
      Link("\(base)/api?f=html", "service-doc", .html, "The API, for people"),
      Link("\(base)/openapi.yaml", "service-desc", .yaml, "The API, as OpenAPI 3.1"),
      Link("\(base)/conformance", "conformance", .json, "What the service conforms to"),
      Link("\(base)/conformance", Link.conformance, .json, "What the service conforms to"),
      Link("\(base)/collections", "data", .json, "The collections"),
      Link("\(base)/tileMatrixSets", Link.matrixSets, .json, "Where tiles lie"),
      Link("\(base)/health/ready", "status", .json, "Whether every collection is loaded"),
      Link("\(base)/metrics", "related", .plain, "Figures for Prometheus"),
    ]
  }

  /// The purpose of the service, in a sentence.
  static let summary = "Map pins, clustered exactly: what to draw in a viewport."

  func landing(_ request: HTTPRequest) throws -> Outcome {
    let type = try request.answerType([.json, .html])
    let base = base(of: request)
    var links = Resources.links(base)
    links.append(Resources.alternate(request, base, of: type, .json))
    if type == .html {
      return .response(to: request, kind: ReadKind(.landing)) { [catalog, links] in
        Resources.landingPage(
          try catalog.page(offset: 0, limit: Resources.usualPage), of: catalog.count, links: links,
          base, request)
      }
    }
    var response = HTTPResponse([
      "title": "pincluster", "description": .string(Resources.summary), "links": .links(links),
    ])
    response.add(links)
    return .now(response)
  }

  /// The link to the other form of an answer: for people, or for programs.
  ///
  /// - Parameters:
  ///   - type: the form of the answer.
  ///   - plain: the form for programs.
  static func alternate(
    _ request: HTTPRequest, _ base: String, of type: MediaType, _ plain: MediaType
  ) -> Link {
    let other = type == .html ? plain : .html
    let title = type == .html ? "The same for programs" : "The same for people"
    let target = base + Resources.target(request, setting: "f", to: other.shortName)
    return Link(target, "alternate", other, title)
  }

  /// The conformance classes, each of which tests prove.
  private static let classes = [
    ("ogcapi-common-1", ["landing-page", "json", "html"]),
    ("ogcapi-features-1", ["core", "geojson", "html", "oas30"]),
    (
      "ogcapi-features-3",
      ["queryables", "queryables-query-parameters", "filter", "features-filter"]
    ),
    (
      "ogcapi-features-4",
      ["create-replace-delete", "update", "optimistic-locking-etags", "features"]
    ),
    ("ogcapi-tiles-1", ["core", "tileset", "tilesets-list", "geodata-tilesets", "mvt"]),
    (
      "cql2",
      [
        "cql2-text", "cql2-json", "basic-cql2", "advanced-comparison-operators",
        "case-insensitive-comparison", "accent-insensitive-comparison", "basic-spatial-functions",
        "basic-spatial-functions-plus", "temporal-functions",
      ]
    ),
  ].flatMap { standard, names in
    names.map { "http://www.opengis.net/spec/\(standard)/1.0/conf/\($0)" }
  }

  func conformance(_ request: HTTPRequest) throws -> HTTPResponse {
    let type = try request.answerType([.json, .html])
    let base = base(of: request)
    if type == .html {
      var page = HTMLPage(
        "Conformance",
        description: "The classes of standards to which the service conforms, as tests prove.",
        above: [Resources.home(base)], base: base, for: request)
      page.section("\(Resources.classes.count) classes")
      page.html.marks("<ul class=\"list\">")
      for name in Resources.classes { page.html.add("<li><code>\(name)</code></li>") }
      page.html.marks("</ul>")
      return page.response()
    }
    return HTTPResponse(["conformsTo": .texts(Resources.classes)])
  }

  func live(_ request: HTTPRequest) throws -> HTTPResponse { try status(request, nil) }

  func ready(_ request: HTTPRequest) throws -> HTTPResponse { try status(request, hindrance) }

  private func status(_ request: HTTPRequest, _ hindrance: String?) throws -> HTTPResponse {
    _ = try request.answerType([.json], hasFormat: false)
    if let hindrance { throw Problem.unavailable(hindrance) }
    return HTTPResponse(["status": "ok"])
  }

  func metricsText(_ request: HTTPRequest) throws -> Outcome {
    _ = try request.answerType([.plain], hasFormat: false)
    return .response(to: request, kind: ReadKind(.metrics)) { [self] in
      // The system counts open files one by one, which takes half a millisecond or more.
      if Cancellation.stopIfLimited() { return HTTPResponse(status: 200) }
      return HTTPResponse(
        status: 200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
        body: Array(
          metrics.text(
            catalog.whole, isReady: hindrance == nil, writer.counts, hub, writer.link
          ).utf8))
    }
  }
}
