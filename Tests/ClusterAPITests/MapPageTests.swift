import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// The map page, and the files that are served for browsers.
@Suite(.timeLimit(.minutes(10))) struct MapPageTests {
  private static let gzip = [(name: "Accept-Encoding", value: "gzip")]

  private static func settings(_ url: String?, _ attribution: String = "") -> MapSettings? {
    MapSettings(basemapURL: url, attribution: attribution, leaflet: Service.leaflet)
  }

  @Test func `every file of the folder clients is served as it is`() async throws {
    let service = try Service()
    let types = [
      "js": "text/javascript; charset=utf-8", "ts": "text/plain; charset=utf-8",
      "css": "text/css; charset=utf-8", "json": "application/json",
    ]
    var count = 0
    for folder in ["clients/js", "clients/map"] {
      for name in Fixtures.names(in: "\(Fixtures.root)/\(folder)") where name != "package.json" {
        guard let type = types[String(name.split(separator: ".").last ?? "")] else { continue }
        let answer = await service.get("/clients/\(name)")
        #expect(answer.status == 200, "\(name) is not in Sources/CResources/clients.c")
        #expect(answer.response.header("Content-Type") == type)
        let file = try Fixtures.bytes(path: "\(Fixtures.root)/\(folder)/\(name)")
        #expect(answer.response.body == file, "\(name) differs: build again")
        count += 1
      }
    }
    #expect(count > 20)
    for name in ["package.json", "map.html", "..%2FPackage.swift", "leaflet"] {
      (await service.get("/clients/\(name)")).expectProblem(404)
    }
    (await service.get("/clients/map.css?w=1")).expectProblem(400, at: "w")
  }

  @Test func `who knows the version may keep a file, others ask again`() async throws {
    let service = try Service()
    for path in ["/clients/map.css", "/clients/leaflet/leaflet.js"] {
      let answer = await service.get(path)
      let tag = try #require(answer.response.etag)
      #expect(answer.response.header("Cache-Control") == "no-cache")
      let kept = await service.get("\(path)?v=\(tag)")
      #expect(kept.response.header("Cache-Control") == "public, max-age=31536000, immutable")
      #expect(kept.response.body == answer.response.body)
      let old = await service.get("\(path)?v=another")
      #expect(old.response.header("Cache-Control") == "no-cache" && old.status == 200)
    }
  }

  @Test func `a kept body is compressed once, and has a tag for each form`() throws {
    let body = KeptBody(Array(String(repeating: "land ", count: 1000).utf8))
    let response = HTTPResponse(
      status: 200, headers: [("Content-Type", "text/css")], body: body)
    func request(_ fields: [(name: String, value: String)]) -> HTTPRequest {
      HTTPRequest(
        method: .get, path: "/", query: nil, headers: HTTPHeaders(fields), body: .empty)
    }
    let plain = response.prepared(for: request([]))
    let packed = response.prepared(for: request(Self.gzip))
    let again = response.prepared(for: request(Self.gzip))
    #expect(plain.body == body.bytes && packed.body.count < 200)
    #expect(again.body == packed.body)
    #expect(plain.header("ETag") == "\"\(body.etag)\"")
    #expect(packed.header("ETag") == "\"\(body.etag)-gz\"")
    #expect(packed.header("Content-Encoding") == "gzip")
    let matching = Self.gzip + [(name: "If-None-Match", value: "\"\(body.etag)-gz\"")]
    #expect(response.prepared(for: request(matching)).status == 304)
  }

  @Test func `the page may load nothing from elsewhere but tiles`() async throws {
    let plain = await (try Service()).get("/map")
    plain.expect(200)
    let policy = try #require(plain.response.header("Content-Security-Policy"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self';"] {
      #expect(policy.contains(part), "\(policy)")
    }
    #expect(!plain.text.contains("{{") && plain.text.contains("data-leaflet=\"found\""))
    #expect(plain.text.contains("src=\"clients/map.js\""))
    #expect((await (try Service()).get("/map/")).text.contains("src=\"../clients/map.js\""))

    let evil = "\"><script>alert(1)</script>"
    let map = try #require(Self.settings("https://{s}.a.example/{z}/{x}/{y}.png?k=\"", evil))
    let page = await (try Service(map: map)).get("/map")
    #expect(
      page.response.header("Content-Security-Policy")?.contains(
        "img-src 'self' https://*.a.example;") == true)
    #expect(!page.text.contains("<script>alert") && page.text.contains("{z}/{x}/{y}.png?k=&quot;"))
    (await (try Service()).get("/map?collection=c")).expectProblem(400, at: "collection")
  }

  @Test func `without Leaflet the page says so`() async throws {
    let service = try Service(map: MapSettings())
    #expect((await service.get("/map")).text.contains("data-leaflet=\"missing\""))
    let answer = await service.get("/clients/leaflet/leaflet.js")
    answer.expectProblem(404)
    #expect(answer.text.contains("--leaflet"))
    for name in ["leaflet.min.js", "..", "passwd", "marker-icon.png", "images/leaflet.css"] {
      (await service.get("/clients/leaflet/\(name)")).expectProblem(404)
    }
  }

  @Test func `images of Leaflet are served as they are`() async throws {
    let image = try #require(Service.leaflet["marker-icon.png"])
    let service = try Service()
    let answer = await service.get("/clients/leaflet/images/marker-icon.png")
    #expect(answer.status == 200 && answer.response.header("Content-Type") == "image/png")
    #expect(answer.response.body.elementsEqual(image))
    let missing = await service.get("/clients/leaflet/images/layers.png")
    missing.expectProblem(404)
    #expect(missing.text.contains("--leaflet"))
  }

  @Test(arguments: [
    "", "https://a.example/", "https://a.example/{z}/{x}", "/tiles/{z}/{x}/{y}",
    "ftp://a.example/{z}/{x}/{y}", "https://a b/{z}/{x}/{y}", "https://a.example;/{z}/{x}/{y}",
    "https://u@a.example/{z}/{x}/{y}", "https://{s}/{z}/{x}/{y}", "javascript:{z}{x}{y}",
    "https://a.example/{z}/{x}/{y} 'unsafe-inline'",
  ])
  func `a template that is none is refused`(template: String) {
    #expect(Self.settings(template) == nil)
  }
}
