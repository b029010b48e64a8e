import TestSupport
import Testing

/// Invalid features and writes to invalid paths, which change nothing.
@Suite(.timeLimit(.minutes(5))) struct HostileWriteTests {
  /// A FeatureCollection of a good feature and this one.
  private func second(_ feature: String) -> Attack {
    let good = TwinFeature(9, 1, 2).geoJSON
    return .items(
      "{\"type\":\"FeatureCollection\",\"features\":[\(good),\(feature)]}", 422, "/features/1")
  }

  /// A feature with this id and these coordinates.
  private func feature(id: String = "5", coordinates: String = "[1,2]") -> String {
    "{\"type\":\"Feature\",\"id\":\(id),\"properties\":{},"
      + "\"geometry\":{\"type\":\"Point\",\"coordinates\":\(coordinates)}}"
  }

  @Test func badFeaturesAreNamed() throws {
    let coordinates = [
      "null", "[]", "[1]", "[null,1]", "[1,null]", "[\"1\",\"2\"]", "[[1,2]]", "{}", "[181,1]",
      "[-180.0001,1]", "[1,90.0001]", "[1,-91]", "[1e308,1]", "[1,2,null]", "true",
    ]
    let ids = [
      "1.5", "\"\"", "true", "[]", "{}", "1e300", "9007199254740992", "\"a\\u0000\"", "\"a\\nb\"",
      "\"\(String(repeating: "i", count: 257))\"",
    ]
    let others = [
      "null", "1", "[]", "{}", "\"Feature\"", "{\"type\":\"Feature\"}",
      "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{}}",
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\"},\"properties\":{}}",
      "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}}",
      "{\"type\":\"Feature\",\"properties\":[],\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}",
      "{\"type\":\"Feature\",\"properties\":1,\"geometry\":{\"type\":\"Point\",\"coordinates\":[1,2]}}",
    ]
    try Attack.run(
      coordinates.map { second(feature(coordinates: $0)) } + ids.map { second(feature(id: $0)) }
        + others.map(second) + [
          .items(feature(coordinates: "[13.4,113.4]"), 422),
          .items(
            "lon,lat\n1,2\n1,200\n", 422, "/lines/3", type: "text/csv; charset=utf-8"),
          .items("lon,lat\n1,2,3\n", 422, "/lines/2", type: "text/csv"),
          .items("name\nx\n", 422, type: "text/csv"),
          .items(
            feature() + "\n" + feature(id: "1.5") + "\n", 422, "/lines/2",
            type: "application/x-ndjson"),
          .items(feature() + "\n{\n", 422, "/lines/2", type: "application/geo+json-seq"),
        ])
  }

  @Test func swappedCoordinatesAreHintedAt() throws {
    let server = try ServerProcess.ready()
    let answer = try server.client.send(
      "POST", "/collections/c/items", json: feature(coordinates: "[13.4,113.4]"))
    #expect(answer.status == 422)
    #expect(answer.text.contains("swapped"), "\(answer.text)")
    // No collection was created.
    #expect(try server.client.get("/collections/c").status == 404)
  }

  @Test func whatIsNoFeatures() throws {
    let deep = String(repeating: "[", count: 100_000)
    try Attack.run(
      ["", "{", "nonsense", "{\"type\":\"FeatureCollection\",\"features\":[" + feature()].map {
        .items($0, 400)
      } + [
        .items("{\"type\":\"FeatureCollection\",\"features\":[\(feature()),]}", 400),
        .items(feature(coordinates: "[NaN,1]"), 400),
        .items(feature(coordinates: "[1e999,1]"), 400), .items(deep, 400),
        .items("{\"type\":\"Feature\",\"properties\":{\"a\":" + deep, 400),
        .items(
          "{\"type\":\"FeatureCollection\",\"features\":" + deep
            + String(repeating: "]", count: 100_000) + "}", 422
        ),
        .items("[]", 422), .items("null", 422), .items("{}", 422),
        .items("{\"type\":\"Topology\"}", 422), .items("{\"type\":\"FeatureCollection\"}", 422),
        .items("{\"type\":\"FeatureCollection\",\"features\":{}}", 422),
        .items(feature(), 400, "onError", query: "?onError=explode"),
        .items(feature(), 400, "foo", query: "?foo=1"),
        Attack(
          path: "/collections/c/items", headers: [("Content-Type", "application/json")],
          body: Array("{\"type\":\"Feature\",\"id\":\"".utf8) + [0xFF] + Array("\"}".utf8),
          status: 400),
        Attack(
          path: "/collections/c/items", headers: [("Content-Type", "text/csv")],
          body: Array("lon,lat,n\n1,2,".utf8) + [0xFF, 0xFE, 10], status: 422, pointer: "/lines/2"),
      ])
  }

  @Test func placesThatCannotBeWrittenTo() throws {
    func put(_ path: String, _ body: String, _ status: Int, _ pointer: String? = nil) -> Attack {
      Attack(method: "PUT", path: path, body: Array(body.utf8), status: status, pointer: pointer)
    }
    func delete(_ path: String, _ status: Int, _ pointer: String? = nil) -> Attack {
      Attack(method: "DELETE", path: path, headers: [], status: status, pointer: pointer)
    }
    let bad = ["a%20b", "a%2Fb", "%C3%BC", "a.b", String(repeating: "c", count: 65)]
    var attacks = bad.flatMap { id in
      [
        put("/collections/\(id)", "", 400), delete("/collections/\(id)", 400),
        put("/collections/\(id)/items/1", feature(id: "1"), 400),
        delete("/collections/\(id)/items/1", 400),
        Attack(path: "/collections/\(id)/items", body: Array(feature().utf8), status: 400),
      ]
    }
    attacks += [
      delete("/collections/none", 404), delete("/collections/none/items/1", 404),
      delete("/collections/c/items/99", 404), delete("/collections/c?foo=1", 400, "foo"),
      put("/collections/c/items/7", feature(id: "8"), 422, "/id"),
      put("/collections/c/items/7", feature(id: "\"x\""), 422, "/id"),
      put("/collections/c/items/7", [TwinFeature(7, 1, 2)].featureCollection, 422),
      put("/collections/c/items/7", feature(id: "7", coordinates: "[1,91]"), 422),
      put("/collections/c/items/7", "{", 400), put("/collections/c/items/7", "", 400),
      put("/collections/c/items/a%00b", feature(id: "1"), 400),
      put("/collections/c/items/\(String(repeating: "i", count: 257))", feature(id: "1"), 400),
      put("/collections/c", "{\"title\":1}", 400, "/title"), put("/collections/c", "[]", 400),
      put("/collections/c", "{\"name\":\"x\"}", 400, "/name"), put("/collections/c", "{", 400),
      put("/collections/c?foo=1", "", 400, "foo"),
    ]
    try Attack.run(attacks)
  }

  @Test func bodiesOverTheLimit() throws {
    let text = String(repeating: "x", count: 20_000)
    let large = TwinFeature(1, 1, 2, "{\"a\":\"\(text)\"}").geoJSON
    let chunked = "4e20\r\n" + String(repeating: "x", count: 20_000) + "\r\n0\r\n\r\n"
    try Attack.run(
      [
        .items(large, 413),
        Attack(
          path: "/collections/c/items", headers: [("Content-Length", "99999999999999")],
          body: Array("x".utf8), status: 413),
        Attack(
          path: "/collections/c/clusters", headers: [("Transfer-Encoding", "chunked")],
          body: Array(chunked.utf8), status: 413),
      ], arguments: ["--max-body-bytes", "10000"])
  }
}
