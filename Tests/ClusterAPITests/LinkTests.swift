import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// What links begin with, and who a client is, behind proxies and without.
@Suite(.timeLimit(.minutes(10))) struct LinkTests {
  private static func request(_ headers: [(String, String)]) -> HTTPRequest {
    HTTPRequest(headers: HTTPHeaders(headers.map { (name: $0.0, value: $0.1) }))
  }

  @Test(
    arguments: [
      ([], ""), ([("Host", "a.example")], "http://a.example"),
      ([("Host", "A.example:8080")], "http://A.example:8080"),
      ([("Host", "[::1]:80")], "http://[::1]:80"),
      ([("Host", "a.example"), ("X-Forwarded-Proto", "https")], "https://a.example"),
      ([("Host", "a"), ("X-Forwarded-Host", "b, c:1")], "http://c:1"),
      (
        [("Host", "a"), ("X-Forwarded-Proto", "HTTPS"), ("X-Forwarded-Prefix", "/x/y/")],
        "https://a/x/y"
      ),
      ([("Host", "a"), ("X-Forwarded-Prefix", "/")], "http://a"),
      ([("Host", "a"), ("Forwarded", "for=1.2.3.4;host=b;proto=https")], "https://b"),
      (
        [("Host", "a"), ("Forwarded", "host=evil, HOST=\"[::1]:5\" ; Proto=https")],
        "https://[::1]:5"
      ),
      ([("Host", "a"), ("Forwarded", "host=\"x\\\"y, z\";proto=https")], "https://a"),
      ([("Host", "a"), ("Forwarded", "host=b"), ("X-Forwarded-Proto", "https")], "https://a"),
    ] as [([(String, String)], String)])
  func `a trusted proxy tells where the service is`(headers: [(String, String)], base: String)
    throws
  {
    let address = try #require(ServiceAddress(trustsProxy: true))
    #expect(address.base(of: Self.request(headers)) == base)
    // Nobody else does.
    let own = headers.first { $0.0 == "Host" }.map { "http://\($0.1)" } ?? ""
    #expect(ServiceAddress.ofRequests.base(of: Self.request(headers)) == own)
    let fixed = try #require(ServiceAddress(publicURL: "https://p.example/m/", trustsProxy: true))
    #expect(fixed.base(of: Self.request(headers)) == "https://p.example/m")
  }

  @Test(arguments: [
    ([("Host", "a:8443")], "https://a:8443", false),
    ([("Host", "a"), ("X-Forwarded-Proto", "http")], "http://a", true),
    ([("Host", "a"), ("Forwarded", "proto=https")], "https://a", false),
  ])
  func `links of a service with TLS begin with https, and pages without it aren't its own`(
    headers: [(String, String)], base: String, hasPlainPages: Bool
  ) throws {
    let trusting = try #require(ServiceAddress(trustsProxy: true, isSecure: true))
    #expect(trusting.base(of: Self.request(headers)) == base)
    #expect(trusting.hasPlainPages(from: "a", Self.request(headers)) == hasPlainPages)
    let alone = try #require(ServiceAddress(isSecure: true))
    #expect(alone.base(of: Self.request(headers)).hasPrefix("https://a"))
    #expect(!alone.hasPlainPages(from: "a", Self.request(headers)))
    let fixed = try #require(ServiceAddress(publicURL: "http://b", isSecure: true))
    #expect(fixed.base(of: Self.request(headers)) == "http://b")
    #expect(ServiceAddress.ofRequests.hasPlainPages(from: "a", Self.request(headers)))
    // A proxy that ends TLS may tell nothing of it.
    let behind = try #require(ServiceAddress(publicURL: "https://B.example/pins"))
    for (host, isPlain) in [("b.example", false), ("B.example", false), ("localhost:8080", true)] {
      #expect(
        behind.hasPlainPages(from: host, Self.request([("Host", host)])) == isPlain, "\(host)")
    }
  }

  @Test func `what can't be an authority, a scheme or a path is in no link`() throws {
    let address = try #require(ServiceAddress(trustsProxy: true))
    let hosts = [
      "", "a b", "a/b", "a<b>", "a@b", "a:b", "a:99999", ":80", "[::1", "[zz]", "é", "a?b",
      "a#b",
      "a,b", "a\\b", String(repeating: "a", count: 300),
    ]
    for host in hosts {
      let bare = address.base(of: Self.request([("Host", host)]))
      #expect(bare == "", "\(host)")
      let forwarded = address.base(
        of: Self.request([("Host", "ok"), ("Forwarded", "host=\"\(host)\"")]))
      // A backslash in quotes stands for what follows it.
      #expect(forwarded == (host == "a\\b" ? "http://ab" : "http://ok"), "\(host)")
    }
    for prefix in ["x", "//evil.example", "/a//b", "/a b", "/a\"b", "/a?b", "/<a>", "https://b"] {
      let base = address.base(of: Self.request([("Host", "ok"), ("X-Forwarded-Prefix", prefix)]))
      #expect(base == "http://ok", "\(prefix)")
    }
    for scheme in ["javascript", "ftp", "", "http://"] {
      let base = address.base(of: Self.request([("Host", "ok"), ("X-Forwarded-Proto", scheme)]))
      #expect(base == "http://ok", "\(scheme)")
    }
    for url in [
      "p.example", "ftp://a", "https://", "https://a b", "https://a?b", "https://a/b?c",
      "https://u@a",
    ] {
      #expect(ServiceAddress(publicURL: url) == nil, "\(url)")
    }
  }

  @Test func `a trusted proxy tells who the client is`() throws {
    let address = try #require(ServiceAddress(trustsProxy: true))
    func client(_ headers: [(String, String)], _ address: ServiceAddress) -> UInt64 {
      var request = Self.request(headers)
      request.client = 7
      return address.client(of: request)
    }
    let numbers = ["10.1.2.3", "10.1.2.4", "2001:db8:1:2::1", "2001:db8:1:3::1"].map {
      client([("X-Forwarded-For", "9.9.9.9, \($0)")], address)
    }
    #expect(Set(numbers + [7]).count == 5)
    for (headers, number) in [
      ([("X-Forwarded-For", "10.1.2.3")], numbers[0]),
      ([("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "10.1.2.3:5")], numbers[0]),
      ([("X-Forwarded-For", "::ffff:10.1.2.4")], numbers[1]),
      ([("Forwarded", "for=1.1.1.1, for=\"[2001:db8:1:2:ffff::9]:80\"")], numbers[2]),
      ([("Forwarded", "for=unknown")], 7), ([("Forwarded", "proto=https")], 7),
      ([("X-Forwarded-For", "nobody")], 7), ([("X-Forwarded-For", "")], 7), ([], 7),
    ] as [([(String, String)], UInt64)] {
      #expect(client(headers, address) == number, "\(headers)")
      #expect(client(headers, .ofRequests) == 7)
    }
  }

  private static let resources = [
    "/", "/collections", "/collections?limit=1", "/collections/c", "/collections/c/items",
    "/collections/c/items?limit=1&bbox=0,0,9,9", "/collections/c/clusters/n1/items",
  ]

  @Test func `every link is a whole URL, and tags differ where links do`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 2, 3)])
    await service.store([TwinFeature(1, 2, 3)], in: "d")
    for path in Self.resources {
      var tags: Set<String> = []
      for host in ["a.example", "b.example:81"] {
        let answer = await service.get(path, headers: [("Host", host)])
        let links = try #require(answer["links"]?.array, "\(path): \(answer.text)")
        for link in links {
          let href = try #require(link["href"]?.string)
          #expect(href.hasPrefix("http://\(host)/"), "\(path): \(href)")
          // The header has the same links, of a collection those that programs look for there.
          let isHeaded =
            path != "/collections/c"
            || ["self", "alternate", "items"].contains(link["rel"]?.string ?? "")
          if isHeaded, let header = answer.response.header("Link") {
            #expect(header.contains("<\(href)>"), "\(path)")
          }
          let found = await service.get(
            String(href.dropFirst("http://\(host)".count)), headers: [("Host", host)])
          // What takes a rect says so.
          let needsRect = href.hasSuffix("/clusters") || href.hasSuffix("/pins")
          #expect(found.status == (needsRect ? 400 : 200), "\(path): \(href)")
        }
        if let tag = answer.response.prepared(for: Self.request([])).header("ETag") {
          tags.insert(tag)
        }
      }
      #expect(tags.count == 2, "\(path)")
    }
    // Nothing of the address is in what has no links.
    let views = await [
      service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3", headers: [("Host", "a.example")]),
      service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3", headers: [("Host", "b.example")]),
    ]
    #expect(views[0].response.etag == views[1].response.etag)
  }

  @Test func `links hold no character that URLs can't`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 2, 3)])
    let query = "limit=1&filter=name<>\"é>|\"%20or%20id%20is%20null%20or%20true"
    let answer = await service.get("/collections/c/items/?\(query)", headers: [("Host", "a")])
    answer.expect(200)
    let next = try #require(answer.next)
    #expect(
      next.hasPrefix("http://a/collections/c/items?limit=1&filter=name%3C%3E%22%C3%A9%3E%7C%22"))
    #expect(await service.get(String(next.dropFirst(8))).ids == ["2"])
    // A header field that proxies would refuse is left out.
    let long = "filter=" + Array(repeating: "name='x'", count: 300).joined(separator: "%20or%20")
    let many = await service.get("/collections/c/items?\(long)", headers: [("Host", "a")])
    #expect(many.status == 200 && many.response.header("Link") == nil)
  }

  @Test func `a slash at the end is the same resource`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for path in [
      "/collections", "/collections/c", "/collections/c/items", "/collections/c/items/1",
      "/collections/c/clusters?bbox=0,0,9,9&zoom=3", "/conformance", "/openapi.yaml",
    ] {
      let parts = path.split(separator: "?", maxSplits: 1)
      let slashed = parts[0] + "/" + (parts.count > 1 ? "?\(parts[1])" : "")
      let (plain, other) = (await service.get(path), await service.get(String(slashed)))
      #expect(plain.status == 200 && other.status == 200 && plain.text == other.text, "\(path)")
    }
    (await service.send(.put, "/collections/c/items/9/", TwinFeature(9, 1, 1).geoJSON)).expect(201)
    (await service.get("/collections/c/items/9")).expect(200)
  }
}
