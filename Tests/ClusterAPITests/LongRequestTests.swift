import Glibc
import HTTPServer
import TestSupport
import Testing
import Texts
import Threading

@testable import ClusterAPI

/// What a request may make the service do before it is known what that costs: each field of a head and of a query, in
/// the dearest form that fits into a head.
@Suite(.timeLimit(.minutes(10))) struct LongRequestTests {
  /// The most bytes of a head, roughly.
  private static let most = 60_000
  /// What a target may have to be read where it came in.
  private static let short = 2048

  /// Texts that cost most, for what the field may be: a list, a number, a name, a filter.
  private static func dear(_ size: Int) -> [String] {
    func filled(_ part: String, _ first: String = "", _ last: String = "") -> String {
      first + String(repeating: part, count: size / part.utf8.count) + last
    }
    return [
      filled(","), filled("1,", "", "1"), filled("a,"), filled("\u{301}", "a"), filled("\"a\","),
      filled("\u{600},"), filled("9"), filled("[", ""), filled(";q=1"), filled("a=b,", "for="),
      filled(" "), filled("\u{1F468}\u{200D}"),
    ]
  }

  /// A text of which each byte is escaped as in a URL.
  private static func escaped(_ text: String) -> String { PercentCoding.encode(text) }

  /// Sends a request; tells the answer, and whether it came on the thread that sent it.
  private func send(
    _ service: Service, _ method: HTTPMethod, _ target: String, _ body: String? = nil,
    headers: [(name: String, value: String)] = []
  ) async -> (answer: Answer, isHere: Bool) {
    await withCheckedContinuation { continuation in
      let here = pthread_self()
      service.begin(method, target, body, headers: headers) {
        continuation.resume(returning: ($0, pthread_equal(here, pthread_self()) != 0))
      }
    }
  }

  private func service() async throws -> Service {
    // No build and no busy machine takes as long as that.
    let service = try Service(mostOnLoop: 1_000_000_000_000)
    await service.store((1...3).map { TwinFeature($0, Double($0), 1) })
    return service
  }

  @Test func `what leaves out many expired features does so elsewhere`() async throws {
    let clock = Locked<Int64>(1_700_000_000_000)
    let service = try Service(mostOnLoop: 1_000_000_000_000, clock: { clock.value })
    let count = 20_000
    func feature(_ id: Int, _ expires: String) -> String {
      #"{"type":"Feature","id":\#(id),"expires":"\#(expires)","properties":null,"#
        + #""geometry":{"type":"Point","coordinates":[\#(id % 360 - 180),\#(id % 170 - 85)]}}"#
    }
    let features =
      (1...count).map { feature($0, "2023-11-14T23:00:00Z") } + [
        feature(400_000, "2023-11-14T23:30:00Z")
      ]
    let body = #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
    (await service.post("/collections/c/items", body)).expect(200)
    for target in ["/collections/c/items/400000", "/collections/c/items/1"] {
      #expect(await send(service, .get, target).isHere)
    }
    clock.withLock { $0 += 4_000_000 }
    let first = await send(service, .get, "/collections/c/items/400000")
    #expect(first.answer.status == 200 && !first.isHere)
    let second = await send(service, .get, "/collections/c/items/1")
    #expect(second.answer.status == 404 && second.isHere)
    // A few are left out at once.
    clock.withLock { $0 += 4_000_000 }
    let third = await send(service, .get, "/collections/c/items/400000")
    #expect(third.answer.status == 404 && third.isHere)
  }

  private static let lists = [
    "Accept", "Accept-Encoding", "Access-Control-Request-Headers", "Forwarded", "If-Match",
    "If-None-Match", "Prefer", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Prefix",
    "X-Forwarded-Proto",
  ]

  @Test(arguments: lists)
  func `lists of a head have at most 64 members`(name: String) async throws {
    let service = try await service()
    for member in ["a", "*/*", "\"x\"", "gzip;q=0.5"] {
      let members = { (count: Int) in Array(repeating: member, count: count).joined(separator: ",")
      }
      for method in [HTTPMethod.get, .put, .options] {
        let body = method == .put ? "{}" : nil
        func status(_ headers: [(String, String)]) async -> Int {
          await service.send(
            method, "/collections/c/items/1", body,
            headers: headers.map { (name: $0.0, value: $0.1) }
          ).status
        }
        #expect(await status([(name, members(64))]) != 431)
        #expect(await status([(name, members(65))]) == 431)
        #expect(await status([(name, members(33)), (name.lowercased(), members(32))]) == 431)
        #expect(await status([(name, members(32)), (name, members(32))]) != 431)
        #expect(await status(Array(repeating: (name, member), count: 65)) == 431)
      }
    }
    let answer = await service.get("/", headers: [(name, String(repeating: ",", count: 20_000))])
    answer.expectProblem(431)
    #expect(answer["detail"]?.string?.hasPrefix(name.lowercased()) == true)
  }

  @Test func `other fields may hold any number of commas`() async throws {
    let service = try await service()
    let commas = String(repeating: "1,", count: 1000)
    for name in ["Cookie", "Referer", "User-Agent", "X-Other", "Accept-Language", "A"] {
      #expect(await service.get("/", headers: [(name, commas)]).status == 200)
    }
  }

  /// The parameters of queries by resource, as the API describes itself.
  private func parameters(
    _ service: Service
  ) async throws -> [(method: HTTPMethod, path: String, names: [String])] {
    let document = await service.get("/api").json
    let shared = document["components"]?["parameters"]
    var found: [(HTTPMethod, String, [String])] = []
    for resource in try #require(document["paths"]?.members) {
      let (path, item) = (resource.key, resource.value)
      for member in item.members ?? [] {
        let operation = member.value
        guard let method = HTTPMethod(rawValue: member.key.uppercased()) else { continue }
        let all = (operation["parameters"]?.array ?? []) + (item["parameters"]?.array ?? [])
        let names = all.compactMap { parameter -> String? in
          let name = parameter["$ref"]?.string?.split(separator: "/").last.map(String.init)
          let resolved = name.flatMap { shared?[$0] } ?? parameter
          return resolved["in"]?.string == "query" ? resolved["name"]?.string : nil
        }
        found.append((method, Self.filled(path), names))
      }
    }
    return found
  }

  /// A path with something for each parameter.
  private static func filled(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
      switch segment {
      case "{collectionId}": "c"
      case "{annotationId}": "g64_60_32_31"
      default: segment.first == "{" ? "1" : String(segment)
      }
    }.joined(separator: "/")
  }

  @Test func `a long query is read on a thread of its own, whatever it names`() async throws {
    let service = try await service()
    let all = try await parameters(service)
    #expect(all.count > 30 && all.flatMap(\.names).count > 200)
    for (method, path, names) in all where !path.hasSuffix("/changes") {
      for name in names + ["unknown"] {
        let value = "1" + String(repeating: ",1", count: Self.short / 2)
        let body = method == .post || method == .put || method == .patch ? "{}" : nil
        let (_, isHere) = await send(service, method, "\(path)?\(name)=\(value)", body)
        #expect(!isHere, "\(method) \(path) \(name)")
      }
    }
  }

  @Test func `a short query is read where it comes in`() async throws {
    let service = try await service()
    let long = String(repeating: "x", count: 1500)
    for target in [
      "/collections/c/items/1", "/collections/c/clusters?bbox=0,0,4,2&zoom=3",
      "/collections/c/clusters?bbox=0,0,4,2&zoom=3&filter=\(Self.escaped("name='\(long)'"))",
    ] {
      let (answer, isHere) = await send(service, .get, target)
      #expect(answer.status == 200 && isHere, "\(target)")
    }
  }

  @Test func `long bodies are read on a thread of their own`() async throws {
    let service = try await service()
    let space = String(repeating: " ", count: 17 << 10)
    for (method, path, body) in [
      (HTTPMethod.post, "/collections/c/clusters", #"{"bbox":[0,0,4,2],"zoom":3}"#),
      (.post, "/collections/c/pins", #"{"bbox":[0,0,4,2]}"#),
      (
        .post, "/collections/c/items/1/locate",
        #"{"latitudinalMeters":9,"longitudinalMeters":9,"viewportWidth":9,"viewportHeight":9}"#
      ),
    ] {
      let short = await send(service, method, path, body)
      let long = await send(service, method, path, body + space)
      #expect(
        short.answer.status == 200 && long.answer.status == 200, "\(path) \(long.answer.text)")
      #expect(short.answer.text == long.answer.text && short.isHere && !long.isHere, "\(path)")
    }
    // Errors of what is read tell on which thread that was.
    for (method, path) in [
      (HTTPMethod.put, "/collections/c"), (.put, "/collections/c/items/1"),
      (.patch, "/collections/c/items/1"), (.post, "/collections/c/items"),
    ] {
      let short = await send(service, method, path, "{")
      let long = await send(service, method, path, "{" + space)
      #expect(
        short.answer.status / 100 == 4 && long.answer.status == short.answer.status, "\(path)")
      #expect(short.isHere && !long.isHere, "\(method) \(path)")
    }
  }

  @Test func `no answer to what is wrong says more than a little of it`() async throws {
    let service = try await service()
    let all = try await parameters(service)
    for (method, path, names) in all where !path.hasSuffix("/changes") {
      for name in [names.first ?? "f", "filter"] {
        for text in Self.dear(Self.most / 3) {
          let body = method == .post || method == .put || method == .patch ? "{}" : nil
          for query in ["\(name)=\(Self.escaped(text))", "\(Self.escaped(text))=1", text] {
            let answer = await service.send(method, "\(path)?\(query)", body)
            let limit = answer.status < 300 ? 1 << 20 : 8192
            #expect(answer.response.body.count < limit, "\(path) \(name) \(text.prefix(9))")
            #expect(answer.status < 500)
          }
        }
      }
    }
  }

  @Test func `fields of a head in their dearest forms change nothing for who sends them`()
    async throws
  {
    let service = try await service()
    let names =
      Self.lists + [
        "Authorization", "Origin", "Host", "Content-Type", "Content-Encoding", "Content-Crs",
        "Cookie",
        "If-Modified-Since", "Last-Event-ID", "Pincluster-Version", "Sec-Fetch-Site", "traceparent",
        "X-Request-Id",
      ]
    for name in names {
      for text in Self.dear(Self.most) {
        for (method, body) in [(HTTPMethod.get, String?.none), (.put, "{}"), (.options, nil)] {
          let answer = await service.send(
            method, "/collections/c/items/1", body, headers: [(name, text)])
          #expect(
            answer.status < 500 && answer.response.body.count < 4096, "\(name) \(text.prefix(9))")
        }
      }
    }
  }
}
