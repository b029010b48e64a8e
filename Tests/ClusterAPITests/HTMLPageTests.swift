import ClusterCore
import TestSupport
import Testing
import Texts

@testable import ClusterAPI

/// What browsers get.
@Suite(.timeLimit(.minutes(10))) struct HTMLPageTests {
  private static let html = [(name: "Accept", value: "text/html,application/xhtml+xml,*/*;q=0.8")]

  @Test func `every page leads to others and to itself for programs`() async throws {
    let service = try await Service(
      (0..<130).map { TwinFeature($0, Double($0), 3, "{\"name\":\"n\($0)\"}") })
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
      "/collections/c/items?f=csv", "/collections?f=html", "/collections/c?f=html",
      "/collections/c/items?f=html", "/conformance",
      "/collections/c/items?f=html&offset=100", "/collections/c/items?f=html&offset=0",
      "/collections/c/items/0?f=html",
      "/collections/c/items?f=geojson", "/api?f=html", "/api?f=json", "/openapi.yaml",
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
      "/collections/c/items?limit=1&\(PercentCoding.encode("<b>\"'"))=", "/<b>\"'/<script>/",
      "/collections/c/items?filter=\(PercentCoding.encode("<b>\"'"))",
      "/collections/c/items/\(PercentCoding.encode("<b>"))?\(PercentCoding.encode("<b>"))=1",
    ] {
      let page = await service.get(path, headers: Self.html + [("Host", "a\"><script>")])
      #expect(page.type == "text/html", "\(path): \(page.text)")
      for part in ["<script", "<img", "<b>"] {
        #expect(!page.text.contains(part), "\(path) holds \(part)")
      }
    }
  }

  @Test func `pages of features are as long as people read, and the map has each feature`()
    async throws
  {
    let service = try await Service(
      (0..<1200).map { TwinFeature($0, Double($0) / 7, Double($0 % 90)) })
    let page = await service.get("/collections/c/items?limit=5000", headers: Self.html)
    #expect(page.text.ranges(of: "h0").count == 1000)
    // One is the head.
    #expect(page.text.ranges(of: "<tr>").count == 1001)
    #expect(page.text.contains("/collections/c/items?limit=5000&amp;offset=1000"))
    let one = await service.get("/collections/c/items?limit=1", headers: Self.html)
    #expect(one.text.contains(">1 to 1 of 1,200<") && !one.text.contains("h0"))
    let two = await service.get("/collections/c/items?ids=0,7", headers: Self.html)
    #expect(two.text.contains("M0 2000h0") && two.text.ranges(of: "h0").count == 2)
    let none = await service.get("/collections/c/items?limit=0", headers: Self.html)
    #expect(none.status == 200 && none.text.contains(">None of 1,200<"))
    let empty = await service.get("/collections/c/items?ids=9999", headers: Self.html)
    #expect(empty.status == 200 && empty.text.contains(">None<"))
    for (offset, limit, previous, next) in [
      (0, 10, nil, 10), (5, 10, 0, 15), (20, 10, 10, 30), (1195, 10, 1185, nil),
      (5000, 10, 1190, nil), (1100, 5000, 100, nil),
    ] as [(Int, Int, Int?, Int?)] {
      let page = await service.get(
        "/collections/c/items?offset=\(offset)&limit=\(limit)", headers: Self.html)
      for (name, wanted) in [("Previous", previous), ("Next", next)] {
        let found = page.text.firstMatch(
          of: try Regex("offset=([0-9]+)\">\(name)<", as: (Substring, Substring).self))
        #expect(found.flatMap { Int($0.output.1) } == wanted, "\(name) of \(offset)")
      }
    }
    // Programs that take anything get what they got before.
    for (accept, type) in [
      ("*/*", "application/geo+json"), ("application/json", "application/json"),
      ("text/html;q=0.5, application/geo+json", "application/geo+json"), ("text/html", "text/html"),
    ] {
      let answer = await service.get("/collections/c/items", headers: [("Accept", accept)])
      #expect(answer.type == type)
    }
  }

  @Test func `who would rather read a page gets problems as pages`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for (path, status) in [
      ("/nothing", 404), ("/collections/none/items", 404), ("/collections/c/items?bbox=1", 400),
      ("/collections/c/clusters", 400),
    ] {
      let page = await service.get(path, headers: Self.html)
      #expect(page.status == status && page.type == "text/html", "\(path): \(page.text)")
      #expect(page.text.ranges(of: "<h1>").count == 1 && page.text.contains(">\(status)<"))
      for accept in [nil, "*/*", "text/html", "application/json", "text/html;q=0.5, */*"] {
        let fields = accept.map { [(name: "Accept", value: $0)] } ?? []
        (await service.get(path, headers: fields)).expectProblem(status)
      }
    }
    let write = await service.send(.put, "/collections/c", "[", headers: Self.html)
    write.expectProblem(400)
  }

  @Test func `what a filter names in vain is told on the page`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"name\":\"n\"}")])
    let page = await service.get(
      "/collections/c/items?filter=\(PercentCoding.encode("\"<b>\" = 1"))", headers: Self.html)
    #expect(
      page.text.contains("<p class=\"note\" role=\"note\">") && page.text.contains("&lt;b&gt;"))
    #expect(page.response.header("Pincluster-Notes") != nil)
    let plain = await service.get("/collections/c/items?name=n", headers: Self.html)
    #expect(!plain.text.contains("\"note\""))
  }

  @Test func `files of a page are found from every depth`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for (path, root) in [
      ("/", "."), ("/conformance", "."), ("/collections/", ".."), ("/collections/c", ".."),
      ("/collections/c/items", "../.."), ("/collections/c/items/1", "../../.."), ("//", ".."),
      (
        "/" + String(repeating: "a/", count: 900),
        Array(repeating: "..", count: 12).joined(separator: "/")
      ),
    ] {
      let page = await service.get(path, headers: Self.html)
      #expect(page.text.contains("href=\"\(root)/clients/pages.css\""), "\(path): \(page.text)")
    }
  }

  private enum FeatureIDText {
    static func id(_ text: String) throws -> FeatureID { try FeatureID(bareText: text.utf8) }
  }
}
