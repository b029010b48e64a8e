import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// What browsers may do on behalf of web sites.
@Suite(.timeLimit(.minutes(10))) struct OriginPolicyTests {
  private static let feature = #"{"type":"Point","coordinates":[2,3]}"#
  private static let body =
    "{\"type\":\"Feature\",\"id\":7,\"geometry\":\(feature),\"properties\":{}}"

  /// Every kind of write, each with a body that would do.
  private static let writes: [(method: HTTPMethod, path: String, body: String?)] = [
    (.post, "/collections/c/items", body), (.put, "/collections/c/items/7", body),
    (.patch, "/collections/c/items/1", "{\"properties\":{\"a\":1}}"),
    (.delete, "/collections/c/items/1", nil), (.delete, "/collections/c/items?bbox=0,0,9,9", nil),
    (.put, "/collections/c", "{\"title\":\"t\"}"), (.delete, "/collections/c", nil),
  ]
  private static let view = "/collections/c/clusters"
  private static let question = #"{"bbox":[0,0,9,9],"zoom":3}"#

  private func service(_ origins: OriginPolicy = .usual) async throws -> Service {
    let service = try Service(origins: origins)
    await service.store([TwinFeature(1, 2, 3)])
    return service
  }

  private func version(_ service: Service) async -> TestJSON? {
    await service.get("/collections/c")["version"]
  }

  @Test(arguments: [
    [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "http://127.0.0.1:81")],
    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
    [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")],
    [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "SAME-ORIGIN")],
    [("Origin", "http://127.0.0.1:80@evil.example")],
  ])
  func `pages of other sites write nothing`(fields: [(name: String, value: String)]) async throws {
    let service = try await service()
    let before = await version(service)
    for write in Self.writes {
      let answer = await service.send(
        write.method, write.path, write.body, headers: fields + [("Host", "127.0.0.1:80")])
      answer.expectProblem(403, at: nil, "\(write.method) \(write.path) \(fields)")
    }
    #expect(await version(service) == before)
    // Reading is free, also by POST.
    let read = await service.send(.post, Self.view, Self.question, headers: fields)
    #expect(read.status == 200 && read.response.header("Access-Control-Allow-Origin") == "*")
  }

  @Test(arguments: [
    [], [("Origin", "http://maps.example:80"), ("Host", "maps.example:80")],
    [("Origin", "HTTPS://Maps.example"), ("Host", "maps.EXAMPLE")],
    [("Origin", "http://internal"), ("Sec-Fetch-Site", "same-origin")],
    [("Sec-Fetch-Site", "none")],
  ])
  func `others write as ever`(fields: [(name: String, value: String)]) async throws {
    let service = try await service()
    for write in Self.writes {
      let answer = await service.send(write.method, write.path, write.body, headers: fields)
      #expect((200..<300).contains(answer.status), "\(write.method) \(write.path) \(answer.text)")
      await service.store([TwinFeature(1, 2, 3)])
    }
  }

  @Test func `listed origins read and write, and others neither`() async throws {
    let policy = try #require(OriginPolicy(origins: "https://a.example, http://b.example:8080"))
    let service = try await service(policy)
    for origin in ["https://a.example", "http://b.example:8080"] {
      for write in Self.writes {
        let answer = await service.send(
          write.method, write.path, write.body, headers: [("Origin", origin)])
        #expect((200..<300).contains(answer.status), "\(write.method) \(write.path)")
        #expect(answer.response.header("Access-Control-Allow-Origin") == origin)
        await service.store([TwinFeature(1, 2, 3)])
      }
    }
    for origin in ["https://a.example:444", "http://a.example", "https://x.a.example", "null"] {
      for write in Self.writes {
        let answer = await service.send(
          write.method, write.path, write.body, headers: [("Origin", origin)])
        answer.expectProblem(403)
        #expect(answer.response.header("Access-Control-Allow-Origin") == nil)
      }
      for path in [Self.view + "?bbox=0,0,9,9&zoom=3", "/", "/collections/c/items", "/nothing"] {
        let answer = await service.get(path, headers: [("Origin", origin)])
        #expect(answer.response.header("Access-Control-Allow-Origin") == nil, "\(path)")
        #expect(answer.response.headers.contains { $0.name == "Vary" && $0.value == "Origin" })
      }
    }
  }

  @Test func `a preflight says what may follow`() async throws {
    func methods(_ path: String, _ origin: String, _ policy: OriginPolicy) async throws -> [String]
    {
      let answer = try await service(policy).send(
        .options, path, headers: [("Origin", origin), ("Access-Control-Request-Method", "PUT")])
      #expect(answer.status == 200)
      let allowed = answer.response.header("Access-Control-Allow-Headers") ?? ""
      #expect(allowed.contains("Authorization") && allowed.contains("If-Match"))
      return (answer.response.header("Access-Control-Allow-Methods") ?? "").split(separator: ",")
        .map { $0.filter { $0 != " " } }
    }
    let (site, all) = ("https://a.example", try #require(OriginPolicy(origins: "*")))
    #expect(try await methods("/collections/c/items", site, .usual) == ["GET", "HEAD", "OPTIONS"])
    #expect(try await methods("/collections/c", site, .usual) == ["GET", "HEAD", "OPTIONS"])
    #expect(try await methods(Self.view, site, .usual) == ["GET", "HEAD", "POST", "OPTIONS"])
    #expect(try await methods("/collections/c/items", site, all).contains("DELETE"))
    let listed = try #require(OriginPolicy(origins: site))
    #expect(try await methods("/collections/c/items/1", site, listed).contains("PATCH"))
  }

  @Test func `all may write where that is wanted`() async throws {
    let service = try await service(try #require(OriginPolicy(origins: "*")))
    let answer = await service.send(
      .delete, "/collections/c/items/1",
      headers: [("Origin", "https://a.example"), ("Sec-Fetch-Site", "cross-site")])
    #expect(answer.status == 204)
  }

  @Test(arguments: ["", ",", "a.example", "https://", "https://a.example/", "https://a, *", "null"])
  func `what is no list of origins is refused`(text: String) {
    #expect(OriginPolicy(origins: text) == nil)
  }

  @Test func `a name that leads here by somebody else's doing is refused`() async throws {
    let service = try await service(try #require(OriginPolicy(isLocal: true)))
    for host in [
      "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example",
      "1.2.3.4.5", "evil.example.", "[::1",
    ] {
      for (method, path) in [(HTTPMethod.get, "/collections"), (.delete, "/collections/c")] {
        await service.send(method, path, headers: [("Host", host)]).expectProblem(
          403, at: nil, host)
      }
    }
    for host in [
      "127.0.0.1", "127.0.0.1:8080", "localhost", "LOCALHOST:80", "maps.localhost:80", "[::1]:8080",
      "[::1]", "pincluster:8080", "10.1.2.3", "localhost.",
    ] {
      #expect(await service.get("/collections", headers: [("Host", host)]).status == 200, "\(host)")
    }
    #expect(await service.get("/collections").status == 200)
  }

  @Test func `a body says what it is`() async throws {
    let service = try await service()
    for (method, path, body) in Self.writes {
      guard let body else { continue }
      (await service.send(method, path, body, type: "")).expectProblem(415)
    }
    (await service.send(.post, Self.view, Self.question, type: "")).expectProblem(415)
    let typeless = HTTPRequest(
      method: .post, path: Self.view, body: RequestBody(Array(Self.question.utf8)))
    await withCheckedContinuation { continuation in
      service.api.handle(typeless) { response in
        Answer(response: response).expectProblem(415)
        continuation.resume()
      }
    }
    // Nothing needs no type.
    #expect(await service.send(.put, "/collections/c").status < 300)
  }
}
