import TestSupport
import Testing

/// Conditional requests, compression, HEAD, CORS and kept connections, over the real server.
@Suite(.timeLimit(.minutes(5))) struct RepresentationTests {
  private static let clusters = "/collections/c/clusters?bbox=-180,-90,180,90&zoom=2"
  /// Every resource that has an entity tag; n1 names the feature 1, apart from all others.
  private static let resources = [
    "/", "/openapi.yaml", "/conformance", "/collections", "/collections/c",
    "/collections/c/items?limit=200", "/collections/c/items/1", clusters, clusters + "&f=geojson",
    "/collections/c/pins?bbox=-180,-90,180,90", "/collections/c/clusters/n1",
    "/collections/c/clusters/n1/items",
  ]

  private func server() throws -> ServerProcess {
    let features = (1...200).map {
      TwinFeature($0, Double($0 % 170), Double($0 % 50), "{\"n\":\($0)}")
    }
    return try ServerProcess.holding(features, in: "c")
  }

  @Test func everyTagIsStrongAndHonoured() throws {
    let server = try server()
    let client = try server.client.connect()
    for path in RepresentationTests.resources {
      let first = try client.send("GET", path)
      #expect(first.status == 200, "\(path)")
      let tag = try #require(first.header("ETag"), "\(path)")
      #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count > 2, "\(path): \(tag)")
      #expect(first.header("Vary") == "Accept, Accept-Encoding", "\(path)")
      for (field, status) in [
        (tag, 304), ("W/" + tag, 304), ("\"other\", " + tag, 304), ("*", 304), ("\"other\"", 200),
        ("nonsense", 200),
      ] {
        for method in ["GET", "HEAD"] {
          let again = try client.send(method, path, headers: [("If-None-Match", field)])
          #expect(again.status == status, "\(method) \(path) \(field)")
          #expect(again.header("ETag") == tag, "\(method) \(path) \(field)")
          if status == 304 {
            #expect(again.body.isEmpty && again.header("Content-Type") == nil, "\(path)")
            #expect(again.header("Vary") == "Accept, Accept-Encoding", "\(path)")
          }
        }
      }
    }
  }

  @Test func aWriteChangesTheTags() throws {
    let server = try server()
    let paths = RepresentationTests.resources.filter { $0.hasPrefix("/collections") }
    var tags: [String: String] = [:]
    for path in paths { tags[path] = try server.client.get(path).header("ETag") }
    try server.store([TwinFeature(1, 50, 50, "{\"n\":-1}")], in: "c")
    for path in paths {
      let old = tags[path] ?? ""
      let answer = try server.client.get(path, headers: [("If-None-Match", old)])
      #expect(answer.status == 200, "\(path)")
      #expect(answer.header("ETag") != old, "\(path)")
    }
    // A POST's answer is never 304.
    let body = "{\"bbox\":[-180,-90,180,90],\"zoom\":2}"
    let post = try server.client.send(
      "POST", "/collections/c/clusters",
      headers: [("Content-Type", "application/json"), ("If-None-Match", "*")],
      body: Array(body.utf8))
    #expect(post.status == 200)
  }

  @Test func differentAnswersHaveDifferentTags() throws {
    let server = try server()
    var tags: [String: String] = [:]
    for path in RepresentationTests.resources {
      for accept in ["*/*", "application/geo+json", "application/json"] {
        for coding in ["identity", "gzip"] {
          let answer = try server.client.get(
            path, headers: [("Accept", accept), ("Accept-Encoding", coding)])
          guard answer.status == 200, let tag = answer.header("ETag") else { continue }
          // A tag stands for its bytes, whatever the path was.
          let bytes = String(decoding: answer.body, as: UTF8.self)
          #expect(tags[tag] == nil || tags[tag] == bytes, "\(path) \(accept) \(coding)")
          tags[tag] = bytes
        }
      }
    }
    #expect(tags.count >= 20)
  }

  @Test func gzipIsTheSameBytes() throws {
    let server = try server()
    var packed = 0
    for path in RepresentationTests.resources + ["/metrics"] {
      let plain = try server.client.get(path)
      #expect(plain.header("Content-Encoding") == nil, "\(path)")
      let answer = try server.client.get(path, headers: [("Accept-Encoding", "br, gzip;q=0.8")])
      guard answer.header("Content-Encoding") == "gzip" else {
        #expect(plain.body.count < 2000, "\(path) is worth compressing")
        continue
      }
      packed += 1
      #expect(answer.body.count < plain.body.count, "\(path)")
      if path != "/metrics" {
        #expect(answer.gunzipped == plain.body, "\(path)")
        let tag = try #require(answer.header("ETag"))
        #expect(tag != plain.header("ETag"), "\(path)")
        let again = try server.client.get(
          path, headers: [("Accept-Encoding", "gzip"), ("If-None-Match", tag)])
        #expect(again.status == 304 && again.header("ETag") == tag, "\(path)")
      }
      for refusing in ["gzip;q=0", "identity", "br"] {
        let other = try server.client.get(path, headers: [("Accept-Encoding", refusing)])
        #expect(other.header("Content-Encoding") == nil, "\(path) \(refusing)")
      }
    }
    #expect(packed >= 5)
  }

  @Test func headIsGetWithoutTheBody() throws {
    let server = try server()
    let client = try server.client.connect()
    for path in RepresentationTests.resources + ["/collections/none", "/%zz", "/collections?foo"] {
      let get = try client.send("GET", path)
      let head = try client.send("HEAD", path)
      #expect(head.status == get.status, "\(path)")
      #expect(head.body.isEmpty)
      let ours = ["date", "x-request-id"]
      let fields = { (answer: TestResponse) in
        answer.headers.filter { !ours.contains($0.name.lowercased()) }.map {
          "\($0.name): \($0.value)"
        }
      }
      #expect(fields(head) == fields(get), "\(path)")
    }
  }

  @Test func everyOriginMayRead() throws {
    let server = try server()
    for path in RepresentationTests.resources + ["/metrics", "/health/ready", "/health/live"] {
      let plain = try server.client.get(path, headers: [("Origin", "https://example.org")])
      #expect(plain.header("Access-Control-Allow-Origin") == "*", "\(path)")
      #expect(plain.header("Access-Control-Expose-Headers")?.contains("ETag") == true, "\(path)")
      let options = try server.client.send("OPTIONS", path)
      #expect(options.status == 200, "\(path)")
      let allow = try #require(options.header("Allow"))
      #expect(allow.contains("GET") && allow.contains("OPTIONS"), "\(path)")
      let preflight = try server.client.send(
        "OPTIONS", path,
        headers: [
          ("Origin", "https://example.org"), ("Access-Control-Request-Method", "POST"),
          ("Access-Control-Request-Headers", "content-type"),
        ])
      #expect(preflight.status == 200, "\(path)")
      #expect(preflight.header("Access-Control-Allow-Origin") == "*", "\(path)")
      let reads = allow.split(separator: ",").map({ $0.filter { $0 != " " } }).filter {
        !["PUT", "PATCH", "DELETE"].contains($0) && !($0 == "POST" && path.contains("/items"))
      }
      let methods = preflight.header("Access-Control-Allow-Methods")
      #expect(methods == reads.joined(separator: ", "), "\(path)")
      let headers = preflight.header("Access-Control-Allow-Headers")?.lowercased() ?? ""
      #expect(headers.contains("content-type") && headers.contains("if-none-match"), "\(path)")
    }
    let refused = try server.client.get("/nothing", headers: [("Origin", "https://example.org")])
    #expect(refused.fault(status: 404) == nil)
    #expect(refused.header("Access-Control-Allow-Origin") == "*")
  }

  @Test func aConnectionIsKeptThroughSuccessAndFailure() throws {
    let server = try server()
    let client = try server.client.connect()
    for round in 0..<50 {
      let (method, path, status) = [
        ("GET", RepresentationTests.clusters, 200), ("GET", "/nothing", 404),
        ("POST", "/collections/c/clusters", 400), ("DELETE", "/collections", 405),
        ("HEAD", "/collections/c", 200), ("OPTIONS", "/", 200),
        ("DELETE", "/collections/c/items/999999", 404),
      ][round % 7]
      let answer = try client.send(method, path, body: method == "POST" ? [] : nil)
      #expect(answer.status == status, "\(method) \(path)")
      #expect(answer.header("Connection")?.lowercased() != "close", "\(method) \(path)")
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() throws {
    let server = try server()
    let client = try server.client.connect()
    let requests = (1...100).map { number in
      number % 5 == 0
        ? TestConnection.request(
          "PUT", "/collections/c/items/\(number)", headers: [("Content-Type", "application/json")],
          body: Array(TwinFeature(number, 1, 2, "{\"n\":\(number * 1000)}").geoJSON.utf8))
        : TestConnection.request("GET", "/collections/c/items/\(number)")
    }
    try client.write(requests.flatMap { $0 })
    for number in 1...100 {
      let answer = try client.receive()
      #expect(answer.value["id"]?.int == number)
      let n = answer.value["properties"]?["n"]?.int
      #expect(n == (number % 5 == 0 ? number * 1000 : number))
    }
  }
}
