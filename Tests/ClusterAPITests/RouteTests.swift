import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// Every path with every method, and what is spoken there.
@Suite(.timeLimit(.minutes(10))) struct RouteTests {
  /// The paths of openapi.yaml with their methods, and those that are routed.
  @Test func `openapi yaml names the same paths and methods`() async throws {
    let lines = try await Service().get("/openapi.yaml").text.split(separator: "\n")
    var (documented, path) = (Set<String>(), "")
    let methods = ["get", "post", "put", "patch", "delete"]
    for line in lines.drop(while: { $0 != "paths:" }).dropFirst().prefix(while: { $0.first == " " })
    {
      if line.hasPrefix("  /") {
        path = String(line.dropFirst(2).dropLast())
      } else if let method = methods.first(where: { line == "    \($0):" }) {
        documented.insert("\(method) \(path)")
      }
    }
    let routed = Route.all.flatMap { route in
      route.methods.filter { $0 != .head }.map { "\($0.description.lowercased()) \(route.path)" }
    }
    #expect(documented == Set(routed), "describe each resource in api/, then run scripts/openapi")
  }

  private static let read: [HTTPMethod] = [.get, .head]
  private static let stored: [HTTPMethod] = [.get, .head, .put, .delete]
  private static let asked: [HTTPMethod] = [.get, .head, .post]
  private static let methods: [(path: String, allowed: [HTTPMethod])] = [
    ("/", read), ("/openapi.yaml", read), ("/api", read), ("/favicon.ico", read),
    ("/map", read), ("/clients/pincluster.js", read), ("/clients/leaflet/leaflet.js", read),
    ("/clients/leaflet/images/marker-icon.png", read),
    ("/conformance", read), ("/health/live", read),
    ("/health/ready", read), ("/metrics", read), ("/collections", read),
    ("/collections/c/queryables", read), ("/collections/c/schema", read),
    ("/collections/c", stored), ("/collections/c/items", asked + [.delete]),
    ("/collections/c/items/1", stored + [.patch]),
    ("/collections/c/items/1/locate", [.post]),
    ("/collections/c/clusters", asked), ("/collections/c/clusters/n1", read),
    ("/collections/c/clusters/n1/items", read), ("/collections/c/clusters/n1/children", read),
    ("/collections/c/clusters/n1/hull", read),
    ("/collections/c/pins", asked), ("/collections/c/changes", asked),
  ]

  @Test func `other methods are 405 and say which are allowed`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let all: [HTTPMethod] = [.get, .head, .post, .put, .delete, .patch, .trace, .connect, .other]
    for (path, allowed) in Self.methods {
      func isAllow(_ text: String?) -> Bool {
        let names = (text ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
        return names.sorted() == (allowed.map(\.description) + ["OPTIONS"]).sorted()
      }
      for method in all where !allowed.contains(method) {
        let answer = await service.send(method, path)
        answer.expectProblem(405, at: nil, "\(method) \(path)")
        #expect(isAllow(answer.response.header("Allow")), "\(method) \(path)")
      }
      let options = await service.send(.options, path)
      #expect(options.status == 200 && options.response.body.isEmpty)
      #expect(isAllow(options.response.header("Allow")), "OPTIONS \(path)")
      #expect(options.response.header("Access-Control-Allow-Origin") == "*")
      let preflight = await service.send(
        .options, path,
        headers: [
          ("Host", "a.example"), ("Origin", "https://a.example"),
          ("Access-Control-Request-Method", "POST"),
        ])
      #expect(isAllow(preflight.response.header("Access-Control-Allow-Methods")))
      #expect(
        preflight.response.header("Access-Control-Allow-Headers")?.contains("Content-Type") == true)
    }
  }

  /// Clients resolve `..` in a path before they send it, so an id that is one would stand for the collection.
  @Test func `no feature is taken for its collection`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for path in ["/collections/c/", "/collections/c/items/", "/collections/c/items/1/"] {
      (await service.send(.delete, path)).expectProblem(404, at: nil, path)
      #expect(await service.get(path).status == 200)
    }
    for id in ["%2E", "%2e%2E", "..", "."] {
      let body = #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]}}"#
      for method in [HTTPMethod.put, .patch] {
        let type = method == .put ? "application/json" : "application/merge-patch+json"
        (await service.send(method, "/collections/c/items/\(id)", body, type: type))
          .expectProblem(400, at: "featureId", id)
      }
      let one =
        #"{"type":"Feature","id":"\#(id.replacing("%2E", with: ".").replacing("%2e", with: "."))","#
      let posted = await service.post("/collections/c/items", one + body.dropFirst(18))
      #expect(posted.status == 422, "\(id)")
    }
    #expect(await service.get("/collections/c/items")["numberMatched"]?.int == 1)
  }

  @Test func `HEAD is answered as GET`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 2, 3)])
    for (path, allowed) in Self.methods where allowed.contains(.get) {
      var target = path
      if path.hasSuffix("/clusters") || path.hasSuffix("/changes") {
        target += "?bbox=0,0,9,9&zoom=3"
      }
      if path.hasSuffix("/pins") { target += "?bbox=0,0,9,9" }
      let (get, head) = (await service.get(target), await service.send(.head, target))
      if !path.hasSuffix("/children") { #expect(get.status == 200, "\(target): \(get.text)") }
      #expect(head.status == get.status && head.response.etag == get.response.etag)
      #expect(head.response.header("Content-Type") == get.response.header("Content-Type"))
      #expect(path == "/metrics" || head.response.body == get.response.body)
      #expect(get.response.header("Access-Control-Allow-Origin") == "*")
    }
  }

  @Test(arguments: [
    "/nowhere", "//", "/collections//", "/collections//items", "/collections/c/items//", "/c/items",
    "/collections/c/items/1/2", "/collections/c/clusters/n1/parents", "/health",
    "/collections/none",
    "/collections/none/items", "/collections/none/items/1", "/collections/c%2Fitems",
    "/collections/c/items/none", "/collections/c/items/a%2Fb", "/collections/c/clusters/garbage",
    "/collections/c/clusters/g5_60_0_0", "/collections/none/pins?bbox=0,0,1,1",
    "/collections/none/clusters?bbox=0,0,1,1&zoom=2", "/collections/c/clusters/n99/items",
    "/collections/bad%20id",
  ])
  func `what isn't there is 404`(target: String) async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    (await service.get(target)).expectProblem(404)
  }

  @Test func `broken paths and queries are 400`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for target in ["/collections/%", "/collections/%zz", "/collections/%ff", "/collections?f=%"] {
      (await service.get(target)).expectProblem(400)
    }
    for id in ["a%20b", "a.b", "%C3%A9", String(repeating: "x", count: 65)] {
      (await service.send(.put, "/collections/\(id)")).expectProblem(400)
      (await service.post("/collections/\(id)/items", "[]")).expectProblem(400)
      (await service.send(.delete, "/collections/\(id)")).expectProblem(400)
      (await service.get("/collections/\(id)")).expectProblem(404)
    }
    (await service.send(.put, "/collections/\(String(repeating: "x", count: 64))", nil)).expect(201)
  }

  @Test func `the client chooses between the forms that there are`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    func type(_ target: String, _ accept: String?) async -> (Int, String?) {
      let answer = await service.get(target, headers: accept.map { [("Accept", $0)] } ?? [])
      return (answer.status, answer.type)
    }
    let (json, geo) = ("application/json", "application/geo+json")
    let clusters = "/collections/c/clusters?bbox=0,0,9,9&zoom=3"
    for (target, accept, wanted) in [
      (clusters, nil, json), (clusters, "*/*", json), (clusters, geo, geo),
      (clusters, "text/html, application/geo+json;q=0.5", geo),
      (clusters, "application/*;q=0.1, application/geo+json;q=0.2", geo),
      (clusters, "application/geo+json;q=0, */*", json), (clusters, "APPLICATION/JSON", json),
      (clusters + "&f=geojson", json, geo), (clusters + "&f=json", geo, json),
      ("/collections/c/items", nil, geo), ("/collections/c/items", geo, geo),
      ("/", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html"), ("/", nil, json),
      ("/?f=html", json, "text/html"), ("/metrics", nil, "text/plain"),
      ("/openapi.yaml", nil, "application/yaml"), ("/openapi.yaml", json, "application/yaml"),
    ] as [(String, String?, String)] {
      let got = await type(target, accept)
      #expect(got == (200, wanted), "\(target) for \(accept ?? "anything") is \(got)")
    }
    for (target, accept) in [
      (clusters, "text/html"), (clusters, "*/*;q=0"), ("/collections/c/items", "image/png"),
      ("/collections", "text/csv"), ("/metrics", json),
      ("/collections/c/pins?bbox=0,0,1,1", "text/html"),
      ("/collections/c/clusters/n1", "text/html"),
    ] {
      (await service.get(target, headers: [("Accept", accept)])).expectProblem(406)
    }
    for target in [clusters + "&f=xml", "/?f=geojson", "/collections?f=geojson"] {
      (await service.get(target)).expectProblem(400, at: "f")
    }
  }

  @Test func `bodies of other types are 415 and change nothing`() async throws {
    let service = try Service()
    let feature = TwinFeature(1, 2, 3).geoJSON
    for (method, target) in [
      (HTTPMethod.post, "/collections/c/items"), (.put, "/collections/c/items/1"),
      (.put, "/collections/c"),
      (.post, "/collections/c/clusters"), (.post, "/collections/c/pins"),
    ] {
      for type in ["text/plain", "application/xml", "multipart/form-data; boundary=x", "json"] {
        (await service.send(method, target, feature, type: type)).expectProblem(415)
      }
    }
    (await service.get("/collections/c")).expectProblem(404)
    // Parameters and case of a type don't matter; none at all is the usual one.
    for type in ["Application/GEO+JSON; charset=utf-8", "application/json", nil] {
      (await service.send(.put, "/collections/c/items/1", feature, type: type)).expect(200, 201)
    }
  }

  @Test func `while it is not ready only what needs no data is answered`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    service.catalog.setReady(false)
    for (path, allowed) in Self.methods {
      let answer = await service.send(allowed[0], path)
      let needsData = path.hasPrefix("/collections") || path == "/health/ready"
      if needsData {
        answer.expectProblem(503, at: nil, path)
        #expect(answer.response.header("Retry-After") != nil)
      } else {
        #expect(answer.status == 200)
      }
      if allowed.contains(.put) { (await service.send(.put, path, "{}")).expectProblem(503) }
    }
    service.catalog.setReady(true)
    (await service.get("/health/ready")).expect(200)
  }
}

extension Answer {
  /// Checks that the status is one of some.
  func expect(_ statuses: Int..., location: SourceLocation = #_sourceLocation) {
    #expect(statuses.contains(status), "\(status): \(text)", sourceLocation: location)
  }
}
