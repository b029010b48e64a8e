import HTTPServer
import TestSupport
import Testing
import Texts

@testable import ClusterAPI

/// Text beside marks with which Swift takes it for one character: what stands before the next (U+0600) and what joins
/// the one before (U+0301). And texts that Swift takes for equal though their bytes differ.
@Suite(.timeLimit(.minutes(10))) struct MarkTests {
  private static let (prepended, combining) = ("\u{600}", "\u{301}")
  /// The same letter in one code point and in two, and what Swift takes for a K and a semicolon.
  private static let (composed, decomposed, kelvin) = ("\u{E9}", "e\u{301}", "\u{212A}")
  private static let view = "bbox=-180,-80,180,80&zoom=1"

  private static func encoded(_ text: String) -> String { PercentCoding.encode(text) }

  /// The text with marks on either side of each part of it.
  private static func marked(_ parts: String...) -> String {
    parts.map { "\(prepended)\($0)\(combining)" }.joined()
  }

  // MARK: Pages

  @Test func `no markup in what is stored gets into a page`() async throws {
    let service = try Service()
    let evil = Self.marked(
      "<", "meta http-equiv=refresh content=0;url=//evil.example", ">", "<", "form action=//e", ">",
      "\"", " onclick=\"", "'", "&", "lt;")
    let quoted = TestJSON.string(evil).text
    await service.store([
      TwinFeature(
        id: try .init(bareText: evil.utf8), coordinate: .init(latitude: 1, longitude: 2),
        properties: "{\(quoted):\(quoted)}")
    ])
    (await service.send(
      .put, "/collections/c", "{\"title\":\(quoted),\"description\":\(quoted)}")).expect(200)
    for path in [
      "/", "/collections", "/collections/c", "/collections/c/items",
      "/collections/c/items/\(Self.encoded(evil))",
    ] {
      let page = await service.get(path, headers: [("Accept", "text/html")])
      #expect(page.status == 200, "\(path): \(page.text)")
      for part in ["<meta http-equiv", "<form", "<\u{301}", "\" onclick", "\u{600}<", "\u{600}\""] {
        #expect(!page.text.hasBytes(part), "\(path) holds \(part)")
      }
      let policy = page.response.header("Content-Security-Policy") ?? ""
      for part in ["default-src 'none'", "form-action 'none'", "base-uri 'none'"] {
        #expect(policy.hasBytes(part), "\(path): \(policy)")
      }
    }
  }

  // MARK: Properties

  @Test func `a parameter finds the values of its bytes`() async throws {
    let service = try Service()
    let values = [
      "alice", "O'\u{301}Neil", "O'Neil", "x\u{600}' OR \"owner\" <> '\u{301}z",
      "\\' OR 1=1 OR 'a'='a",
      "\\", "\\n", "\n", "'", "\"", "x\u{600}", Self.composed, Self.decomposed, Self.kelvin, "K",
      "a\u{600},b", "\u{301}",
    ]
    let names = [
      "owner", "o\u{600}\" = \"o", Self.composed, Self.decomposed, "\u{301}", "a\\' b", Self.kelvin,
    ]
    for name in names {
      await service.store(
        values.enumerated().map { number, value in
          TwinFeature(
            number, Double(number), 1,
            "{\(TestJSON.string(name).text):\(TestJSON.string(value).text)}")
        })
      for (number, value) in values.enumerated() {
        let query = "\(Self.encoded(name))=\(Self.encoded(value))"
        let answer = await service.get("/collections/c/items?limit=100&\(query)")
        #expect(answer.ids == ["\(number)"], "\(name) = \(value): \(answer.text.prefix(300))")
        let view = await service.get("/collections/c/clusters?\(Self.view)&\(query)")
        #expect(view["featureCount"]?.int == 1, "\(name) = \(value)")
      }
    }
  }

  @Test func `names that look the same are two`() async throws {
    let service = try Service()
    let both = [Self.composed, Self.decomposed]
    let members = both.enumerated().map { "\"\($1)\":\($0 + 1)" }.joined(separator: ",")
    await service.store([TwinFeature(1, 1, 2, "{\(members)}"), TwinFeature(2, 50, 60, "{}")])
    for path in ["schema", "queryables"] {
      let answer = await service.get("/collections/c/\(path)")
      for name in both { #expect(answer.text.hasBytes("\"\(name)\":{"), "\(path): \(answer.text)") }
    }
    // Aggregates of one request, and of two, of which the second is answered from the cache.
    let sums = both.map { "\"\($0)\":[\"sum\",\"\($0)\"]" }
    for part in [sums.joined(separator: ","), sums[0], sums[1]] {
      let answer = await service.get(
        "/collections/c/clusters?\(Self.view)&aggregate=\(Self.encoded("{\(part)}"))")
      #expect(answer.status == 200, "\(answer.text)")
      for (number, name) in both.enumerated() where part.hasBytes(sums[number]) {
        #expect(answer.text.hasBytes("\"\(name)\":\(number + 1)"), "\(part): \(answer.text)")
      }
    }
    // Tiles, whose queries are kept as they came.
    for (number, name) in both.enumerated() {
      for value in [1, 2] {
        let tile = await service.get("/collections/c/tiles/0/0/0.geojson?\(name)=\(value)")
        let count = tile["features"]?.array?.count ?? 0
        #expect(count == (value == number + 1 ? 1 : 0), "\(name)=\(value): \(tile.text)")
      }
    }
    #expect(
      Watch.Key(collection: "c", tenantID: nil, query: "a='\u{E9}'")
        != Watch.Key(collection: "c", tenantID: nil, query: "a='e\u{301}'"))
  }

  @Test func `an order by a name that begins with a mark is one`() async throws {
    let service = try await Service((0..<5).map { TwinFeature($0, 1, 2, "{\"\u{301}\":\($0)}") })
    let answer = await service.get("/collections/c/items?sortby=-\(Self.encoded("\u{301}"))")
    #expect(answer.ids == ["4", "3", "2", "1", "0"], "\(answer.text)")
  }

  @Test func `an id that looks like a collection's is none`() async throws {
    let service = try Service()
    await service.store([TwinFeature(1, 1, 2, "{}")], in: "K")
    let path = "/collections/\(Self.encoded(Self.kelvin))"
    for target in [path, "\(path)/items", "\(path)/items/1", "\(path)/clusters?\(Self.view)"] {
      let answer = await service.get(target)
      #expect(answer.status == 404, "\(target): \(answer.status) \(answer.text)")
    }
    for (method, target) in [
      (HTTPMethod.delete, "\(path)/items/1"), (.delete, path), (.put, path),
      (.put, "\(path)/items/1"),
    ] {
      let answer = await service.send(method, target, method == .put ? "{\"title\":\"x\"}" : nil)
      #expect(answer.status == 400, "\(method) \(target): \(answer.status) \(answer.text)")
    }
    #expect(await service.get("/collections/K/items/1").status == 200)
    #expect(await service.get("/collections/K")["title"]?.string != "x")
  }

  // MARK: Heads

  @Test func `a host is judged by its bytes`() async throws {
    let service = try Service(origins: try #require(OriginPolicy(isLocal: true)))
    for mark in [Self.prepended, Self.combining, "\u{200D}", "\u{FE0F}"] {
      for host in [
        "evil\(mark).example", "evil.\(mark)example", "evil\(mark).\(mark)example\(mark):80",
        "evil.example\(mark).localhost\(mark).", "127.0.0.1:\(mark)evil.example", "[::1\(mark)]",
        "localhost:\(mark)80", "loca\(mark)lhost",
      ] {
        let answer = await service.get("/collections", headers: [("Host", host)])
        answer.expectProblem(403, at: nil, "\(host.debugDescription)")
      }
    }
    for host in ["localhos\u{212A}", "127.0.0.1:80.evil.example", "localhost:", "a b"] {
      let answer = await service.get("/collections", headers: [("Host", host)])
      answer.expectProblem(403, at: nil, "\(host.debugDescription)")
    }
  }

  @Test func `an origin is judged by its bytes`() async throws {
    let policy = try #require(OriginPolicy(origins: "https://maps.k.example"))
    let service = try Service(origins: policy)
    for origin in ["https://maps.\u{212A}.example", "https://maps.k.example\u{301}"] {
      let answer = await service.send(
        .put, "/collections/c", "{}",
        headers: [("Origin", origin), ("Sec-Fetch-Site", "cross-site")])
      answer.expectProblem(403)
      #expect(answer.response.header("Access-Control-Allow-Origin") == nil)
    }
    let own = await service.send(
      .put, "/collections/c", "{}", headers: [("Origin", "https://MAPS.K.example")])
    #expect(own.status < 300)
  }

  @Test func `what a proxy appends is seen behind any mark`() throws {
    let address = try #require(ServiceAddress(trustsProxy: true))
    func request(_ headers: [(String, String)]) -> HTTPRequest {
      var request = HTTPRequest(
        method: .get, path: "/", headers: HTTPHeaders(headers.map { (name: $0.0, value: $0.1) }))
      request.client = 7
      return request
    }
    let plain = address.client(of: request([("X-Forwarded-For", "10.1.2.3")]))
    #expect(plain != 7)
    for mark in [Self.prepended, Self.combining, "9.9.9.9\u{600}", "\u{200D}", "\u{D}"] {
      for (name, value) in [
        ("X-Forwarded-For", "\(mark), 10.1.2.3"), ("X-Forwarded-For", "\(mark),10.1.2.3"),
        ("Forwarded", "for=\(mark), for=10.1.2.3"), ("Forwarded", "by=\(mark);for=10.1.2.3"),
      ] {
        #expect(address.client(of: request([(name, value)])) == plain, "\(name): \(value)")
      }
      let base = address.base(
        of: request([
          ("X-Forwarded-Proto", "http\(mark), https"),
          ("X-Forwarded-Host", "evil\(mark), a.example"),
        ]))
      #expect(base == "https://a.example", "\(mark)")
    }
  }

  @Test func `an address of the service has no marks in it`() {
    for mark in [Self.prepended, Self.combining] {
      for url in [
        "https:/\(mark)/a", "https://a\(mark)/b", "https://a/\(mark)b", "https://a.example\(mark)",
        "https\(mark)://a",
      ] {
        #expect(ServiceAddress(publicURL: url) == nil, "\(url)")
      }
    }
    #expect(
      MapSettings(basemapURL: "https://a\u{301}/{z}/{x}/{y}", attribution: "", leaflet: [:]) == nil)
  }
}

extension String {
  /// Whether the bytes of a text are somewhere in this one.
  fileprivate func hasBytes(_ part: String) -> Bool {
    Array(utf8).firstRange(of: Array(part.utf8)) != nil
  }
}
