import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI

/// What browsers get.
@Suite(.timeLimit(.minutes(5))) struct HTMLPageTests {
  private static let html = [(name: "Accept", value: "text/html,application/xhtml+xml,*/*;q=0.8")]

  @Test func `every page leads to others and to itself for programs`() async throws {
    let service = try Service()
    await service.store(
      (0..<230).map { TwinFeature($0, Double($0 % 90), 3, "{\"name\":\"n\($0)\"}") })
    let headers = Self.html + [("Host", "a.example")]
    var (seen, waiting): (Set<String>, [String]) = (["/"], ["/"])
    while let path = waiting.popLast() {
      let page = await service.get(path, headers: headers)
      #expect(page.status == 200, "\(path): \(page.text.prefix(300))")
      guard page.type == "text/html" else { continue }
      #expect(
        page.response.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
      for found in page.text.matches(of: /<a href="http:\/\/a\.example([^"]*)">/) {
        let link = String(found.1).replacing("&amp;", with: "&")
        let target = String(link.prefix { $0 != "#" })
        // What takes a rect says so; a stream and figures are no pages.
        if target.hasSuffix("/clusters") || target.hasSuffix("/pins") { continue }
        if seen.insert(target).inserted { waiting.append(target) }
      }
    }
    for path in [
      "/collections?f=html", "/collections/c?f=html", "/collections/c/items?f=html", "/conformance",
      "/collections/c/items?f=html&offset=200", "/collections/c/items/0?f=html",
      "/collections/c/items?f=geojson", "/collections/c/items?f=csv", "/api?f=html", "/api?f=json",
      "/openapi.yaml",
      "/collections/c/queryables", "/collections/c/schema",
    ] {
      #expect(seen.contains(path), "\(path) is not among \(seen.sorted())")
    }
  }

  @Test func `what no page may hold is replaced`() async throws {
    let service = try Service()
    let odd =
      "\\u0000a\\u001b\\u007f\\u0085b\\ufdd0\\ufffe\\ud83f\\udfff\\t\\ufdcf\u{FFFD}\u{1F600}<"
    await service.store([TwinFeature(1, 2, 3, "{\"n\":\"\(odd)\"}")])
    let replaced =
      "\u{FFFD}a\u{FFFD}\u{FFFD}\u{FFFD}b\u{FFFD}\u{FFFD}\u{FFFD}\t\u{FDCF}\u{FFFD}\u{1F600}&lt;"
    for path in ["/collections/c/items", "/collections/c/items/1"] {
      let page = await service.get(path, headers: Self.html)
      #expect(page.response.body.firstRange(of: Array(replaced.utf8)) != nil, "\(page.text)")
    }
  }

  @Test func `what clients have stored is nothing but text`() async throws {
    let service = try Service()
    let evil = "<script>alert('1')</script>\\\"\\u003cimg src=x onerror=y&lt;"
    await service.store([
      TwinFeature(
        id: try FeatureIDText.id("\"><b>'&"), coordinate: .init(latitude: 1, longitude: 2),
        properties: "{\"\(evil)\":\"\(evil)\",\"o\":{\"k\":\"\(evil)\"},\"é\":[\"\(evil)\"]}")
    ])
    (await service.send(
      .put, "/collections/c", "{\"title\":\"\(evil)\",\"description\":\"\(evil)\"}"))
      .expect(200)
    for path in [
      "/", "/collections", "/collections/c", "/collections/c/items",
      "/collections/c/items/%22%3E%3Cb%3E%27%26",
      "/collections/c/items?limit=1&\(PercentCoding.encode("<b>\"'"))=",
    ] {
      let page = await service.get(path, headers: Self.html + [("Host", "a\"><script>")])
      guard page.status == 200 else {
        page.expectProblem(400)
        continue
      }
      for part in ["<script", "<img", "<b>"] {
        #expect(!page.text.contains(part), "\(path) holds \(part)")
      }
    }
  }

  @Test func `pages of features are as long as people read, and the map has each feature`()
    async throws
  {
    let service = try Service()
    await service.store((0..<1200).map { TwinFeature($0, Double($0) / 7, Double($0 % 90)) })
    let page = await service.get("/collections/c/items?limit=5000", headers: Self.html)
    #expect(page.text.ranges(of: "<circle").count == 1000)
    #expect(page.text.ranges(of: "<tr>").count == 1000)
    #expect(page.text.contains("/collections/c/items?limit=5000&amp;offset=1000"))
    let one = await service.get("/collections/c/items?limit=1", headers: Self.html)
    #expect(one.text.contains("<circle cx=\"0.0\" cy=\"0.0\""))
    let none = await service.get("/collections/c/items?limit=0", headers: Self.html)
    #expect(none.status == 200 && !none.text.contains("<circle"))
    // Programs that take anything get what they got before.
    for (accept, type) in [
      ("*/*", "application/geo+json"), ("application/json", "application/json"),
      ("text/html;q=0.5, application/geo+json", "application/geo+json"), ("text/html", "text/html"),
    ] {
      let answer = await service.get("/collections/c/items", headers: [("Accept", accept)])
      #expect(answer.type == type)
    }
  }

  private enum FeatureIDText {
    static func id(_ text: String) throws -> FeatureID { try FeatureID(bareText: text.utf8) }
  }
}
