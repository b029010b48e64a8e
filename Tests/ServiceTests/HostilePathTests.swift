import TestSupport
import Testing

/// Invalid paths, queries, methods and media types.
@Suite(.timeLimit(.minutes(5))) struct HostilePathTests {
  private static let view = "/collections/c/clusters?bbox=-10,-10,10,10&zoom=3"

  @Test func queries() throws {
    let view = HostilePathTests.view
    let clusters = "/collections/c/clusters?"
    try Attack.run([
      .get(view + "&foo=1", 400, "foo"), .get(view + "&zoom=3", 400, "zoom"),
      .get(view + "&%62box=1,2,3,4", 400, "bbox"), .get(view + "&f=xml", 400, "f"),
      .get(view + "&cellSize=big", 400, "cellSize"), .get(view + "&cellSize=", 400, "cellSize"),
      .get(view + "&cellSize", 400, "cellSize"), .get(view + "&cellSize=0x10", 400, "cellSize"),
      .get(view + "&cellSize=nan", 400, "cellSize"), .get(view + "&cellSize=inf", 400, "cellSize"),
      .get(view + "&cellSize=1e999", 400, "cellSize"),
      .get(view + "&cellSize=5000", 422, "cellSize"), .get(view + "&decluster=1", 400, "decluster"),
      .get(view + "&clusterer=x", 400, "clusterer"), .get(view + "&limit=1.5", 400, "limit"),
      .get(view + "&limit=99999999999999999999", 422, "limit"),
      .get(view + "&limit=0", 422, "limit"), .get(view + "&cellSize=%zz", 400, "cellSize"),
      .get(view + "&titleProperty=%ff", 400, "titleProperty"), .get(view + "&%zz=1"),
      .get(view + "&%ff=1"), .get(view + "&cellSize=%", 400, "cellSize"),
      .get(clusters, 400, "bbox"), .get("/collections/c/clusters", 400, "bbox"),
      .get(clusters + "bbox=1,2,3&zoom=1", 400, "bbox"),
      .get(clusters + "bbox=a,b,c,d&zoom=1", 400, "bbox"),
      .get(clusters + "bbox=,,,&zoom=1", 400, "bbox"), .get(clusters + "bbox=&zoom=1", 400, "bbox"),
      .get(clusters + "bbox=0,10,1,-10&zoom=1", 422, "bbox"),
      .get(clusters + "bbox=0,0,1,1", 400, "zoom"),
      .get(clusters + "visibleMapRect=1,2,3&zoom=1", 400, "visibleMapRect"),
      .get(clusters + "region=1,2,3,4,5&zoom=1", 400, "region"),
      .get("/collections/c/items?limit=-1", 400, "limit"),
      .get("/collections/c/items?limit=x", 400, "limit"),
      .get("/collections/c/items?limit=1.5", 400, "limit"),
      .get("/collections/c/items?limit=", 400, "limit"),
      .get("/collections/c/items?offset=-1", 400, "offset"),
      .get("/collections/c/items?bbox=1,2,3,4,5", 400, "bbox"),
      .get("/collections/c/items?bbox=0,10,1,-10", 422, "bbox"),
      .get("/collections/c/items?bbox=0,-91,1,0", 422, "bbox"),
      .get("/collections/c/items?foo", 400, "foo"), .get("/collections?foo=1", 400, "foo"),
      .get("/collections/c?foo=1", 400, "foo"), .get("/health/ready?foo=1", 400, "foo"),
      .get("/collections/c/pins", 400, "bbox"),
      .get("/collections/c/pins?bbox=0,0,1,1&limit=0", 422, "limit"),
      .get("/collections/c/pins?bbox=0,0,1,1&limit=10001", 422, "limit"),
    ])
  }

  @Test func absurdlyLongQueries() throws {
    let view = HostilePathTests.view
    let long = String(repeating: "9", count: 60_000)
    try Attack.run([
      .get(view + "&cellSize=" + long, 400, "cellSize"), .get(view + "&" + long),
      .get(view + "&foo=" + long, 400, "foo"),
      .get(view + "&" + String(repeating: "a&", count: 30_000), 400, "a"),
      .get(view + "&" + String(repeating: "=&", count: 30_000)),
      .get(view + "&keepApart=" + String(repeating: "1,", count: 29_999) + "1", 422, "keepApart"),
      .get(
        "/collections/c/clusters?zoom=1&bbox=" + String(repeating: ",", count: 60_000), 400, "bbox"),
      .get(view + "&titleProperty=" + String(repeating: "%", count: 60_000), 400, "titleProperty"),
      .get("/" + String(repeating: "a/", count: 30_000), 431),
      .get(String(repeating: "/", count: 60_000), 431),
      .get("/" + String(repeating: "%2F", count: 20_000), 431),
      .get("/collections/" + long, 431), .get("/collections/c/items/" + long, 431),
      .get("/collections/c/clusters/" + long, 431),
      .get("/collections/" + long.prefix(4000), 404),
      .get("/collections/c/items/" + long.prefix(4000), 404),
      .get("/collections/c/clusters/" + long.prefix(4000), 404),
      .get("/" + String(repeating: "a", count: 70_000), 431),
    ])
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    // A query of separators alone is empty.
    #expect(try server.client.get(view + String(repeating: "&", count: 60_000)).status == 200)
    #expect(try server.client.get(view + "&titleProperty=" + long).status == 422)
  }

  @Test func pathsToNowhere() throws {
    try Attack.run(
      [
        "/nothing", "//", "/collections//", "/collections//items", "/collections/c//",
        "/Collections",
        "/collections/c/items/1//", "/collections/c/items/1/2", "/collections/c/items/3",
        "/collections/c/items/%20", "/collections/c/items/%2F", "/collections/c/items//",
        "/collections/c/items/x%00y", "/collections%2Fc", "/collections/c%2Fitems",
        "/collections/a%2F..%2Fc", "/collections/..", "/collections/../metrics", "/./metrics",
        "/collections/none", "/collections/none/items", "/collections/n%C3%B6/items",
        "/collections/none/clusters?bbox=0,0,1,1&zoom=1", "/collections/none/pins?bbox=0,0,1,1",
        "/collections/\(String(repeating: "c", count: 65))", "/collections/c/clusters/x",
        "/collections/c/clusters/g120_200_52_31",
        "/collections/c/clusters/g120_200_-1_99999999999999",
        "/collections/c/clusters/n99", "/collections/c/clusters/n1/other", "/health", "/health/x",
        "/collections/c/tilesets", "/openapi.yaml//", "/collections/c/clusters/%2e%2e",
      ].map { .get($0, 404) })
    try Attack.run(
      [
        "/%", "/%2", "/%zz", "/%ff", "/collections/%", "/collections/%C0%80",
        "/collections/c/items/%f",
        "/collections/c/items/%ED%A0%80", "/collections/c/clusters/%GG",
      ].map { .get($0, 400) })
  }

  @Test func escapesAreTheSamePath() throws {
    let server = try ServerProcess.ready()
    #expect(try server.client.send("PUT", "/collections/c", json: "").status == 201)
    let id = "a/b c?%ü"
    let path = "/collections/c/items/" + TwinRequest.percentEncoded(id)
    let put = try server.client.send("PUT", path, json: TwinFeature(1, 1, 2).geoJSON)
    #expect(put.fault(status: 422, pointer: "/id") == nil)
    let body = "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}"
    #expect(try server.client.send("PUT", path, json: body).status == 201)
    #expect(try server.json(path)["id"]?.string == id)
    let escaped = "/%63ollections/%63/items/a%2fb%20c%3f%25%c3%bc"
    #expect(try server.json(escaped)["id"]?.string == id)
    #expect(try server.client.send("DELETE", path).status == 204)
    #expect(try server.client.get(path).status == 404)
  }

  @Test func wrongMethods() throws {
    let read = "GET, HEAD, OPTIONS"
    let server = try ServerProcess.holding([TwinFeature(1, 1, 2)], in: "c")
    for (path, allow) in [
      ("/", read), ("/openapi.yaml", read), ("/conformance", read), ("/health/live", read),
      ("/health/ready", read), ("/metrics", read), ("/collections", read),
      ("/collections/c", "GET, HEAD, PUT, DELETE, OPTIONS"),
      ("/collections/c/items", "GET, HEAD, POST, DELETE, OPTIONS"),
      ("/collections/c/items/1", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"),
      ("/collections/c/clusters", "GET, HEAD, POST, OPTIONS"),
      ("/collections/c/clusters/n1", read), ("/collections/c/clusters/n1/items", read),
      ("/collections/c/clusters/n1/children", read),
      ("/collections/c/pins", "GET, HEAD, POST, OPTIONS"),
    ] {
      let allowed = Set(allow.split(separator: ", ").map(String.init))
      for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "BREW", "get"]
      where !allowed.contains(method) {
        let answer = try server.client.send(method, path, json: "{}")
        #expect(answer.fault(status: 405) == nil, "\(method) \(path)")
        let named = (answer.header("Allow") ?? "").split(separator: ", ").map(String.init)
        #expect(Set(named) == allowed, "\(method) \(path)")
      }
    }
    server.expectHealthy()
  }

  @Test func wrongMediaTypes() throws {
    let view = "{\"bbox\":[-10,-10,10,10],\"zoom\":3}"
    let feature = TwinFeature(1, 1, 2).geoJSON
    var attacks: [Attack] = []
    for type in ["text/plain", "application/xml", "multipart/form-data; boundary=x", "x", "json"] {
      for (path, body) in [
        ("/collections/c/clusters", view), ("/collections/c/pins", view),
        ("/collections/c/items", feature),
      ] {
        attacks.append(
          Attack(
            path: path, headers: [("Content-Type", type)], body: Array(body.utf8), status: 415))
      }
      attacks.append(
        Attack(
          method: "PUT", path: "/collections/c/items/1", headers: [("Content-Type", type)],
          body: Array(feature.utf8), status: 415))
      attacks.append(
        Attack(
          method: "PUT", path: "/collections/c", headers: [("Content-Type", type)],
          body: Array("{}".utf8), status: 415))
    }
    for path in [
      "/", "/conformance", "/collections", "/collections/c", "/metrics",
      "/collections/c/items", "/collections/c/items/1", HostilePathTests.view,
      "/collections/c/pins?bbox=0,0,1,1", "/health/live", "/collections/c/clusters/n1",
    ] {
      for accept in ["image/png", "application/json;q=0, text/plain;q=0, */*;q=0"] {
        attacks.append(
          Attack(method: "GET", path: path, headers: [("Accept", accept)], status: 406))
      }
    }
    try Attack.run(attacks)
  }
}
