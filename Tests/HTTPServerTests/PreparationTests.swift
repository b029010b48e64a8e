import HTTPServer
import Testing

@Suite(.timeLimit(.minutes(5))) struct PreparationTests {
  private let json = HTTPResponse(
    status: 200, headers: [(name: "Content-Type", value: "application/geo+json")],
    body: Array(String(repeating: #"{"a":1.5},"#, count: 500).utf8), etag: "v1")

  private func get(_ headers: HTTPHeaders, _ method: HTTPMethod = .get) -> HTTPRequest {
    HTTPRequest(method: method, path: "/", query: nil, headers: headers, body: .empty)
  }

  @Test(arguments: [0, 9, 10, 99, 100, 12_345_678_901, .max, -1, .min] as [Int64])
  func `a tag holds the version`(version: Int64) {
    let tag = EntityTag.text(of: "store", version: version, .max)
    #expect(tag == "store.\(version).__________F")
    #expect(EntityTag.text(of: "", version: version, 0) == ".\(version).00000000000")
  }

  @Test func compressesForThoseWhoLikeIt() {
    for (field, packed) in [
      ("gzip", true), ("GZIP;q=0.5", true), ("*", true), ("br, gzip", true), ("x-gzip", true),
      ("gzip;q=0", false), ("*;q=0", false), ("gzip;q=0, *", false),
      ("identity, gzip;q=0.5", false),
      ("identity;q=0.5, gzip;q=0.5", true), ("br", false), ("", false), ("gzip;q=x", false),
      ("gzip; q=1.000", true), (" , gzip ,", true), ("gzip;q=2", false), ("notgzip", false),
    ] {
      let answer = json.prepared(for: get(["accept-encoding": field]))
      #expect((answer.header("content-encoding") == "gzip") == packed, "\(field)")
      #expect(answer.header("etag") == (packed ? "\"v1-gz\"" : "\"v1\""), "\(field)")
      #expect((answer.body.count < json.body.count) == packed, "\(field)")
      #expect(answer.header("vary") == "Accept, Accept-Encoding")
    }
    #expect(json.prepared(for: get([:])).body == json.body)
  }

  @Test func aKeptBodyIsSentAsAnyOther() {
    for body in [json.body, Array(json.body.prefix(100)), []] {
      var plain = json
      plain.body = body
      let keptBody = KeptBody(body)
      var kept = HTTPResponse(status: 200, headers: json.headers, body: keptBody)
      kept.etag = json.etag
      for field in ["gzip", "gzip", "identity"] {
        let expected = plain.prepared(for: get(["accept-encoding": field]))
        let found = kept.prepared(for: get(["accept-encoding": field]))
        #expect(found.body == expected.body && found.header("etag") == expected.header("etag"))
        #expect(found.header("content-encoding") == expected.header("content-encoding"))
      }
      #expect(keptBody.maximumByteCount >= body.count)
    }
  }

  @Test func compressesWhatPays() {
    var small = json
    small.body = Array(json.body[..<1023])
    var image = json
    image.headers = [(name: "Content-Type", value: "image/png")]
    var packed = json
    packed.headers.append((name: "content-encoding", value: "br"))
    var noise = json
    noise.body = (0..<2000).map { _ in UInt8.random(in: 0...255) }
    for answer in [small, image, packed, noise] {
      let sent = answer.prepared(for: get(["accept-encoding": "gzip"]))
      #expect(sent.body == answer.body)
      #expect(sent.header("etag") == "\"v1\"")
    }
    var problem = json
    problem.status = 422
    problem.etag = nil
    problem.headers = [(name: "Content-Type", value: "application/problem+json; charset=utf-8")]
    let sent = problem.prepared(for: get(["accept-encoding": "gzip"]))
    #expect(sent.header("content-encoding") == "gzip")
    #expect(sent.header("etag") == nil)
  }

  @Test func tagsByContent() throws {
    var answer = json
    answer.etag = nil
    let first = try #require(answer.prepared(for: get([:])).header("etag"))
    #expect(first.count == 13 && first.hasPrefix("\"") && first.hasSuffix("\""))
    #expect(answer.prepared(for: get([:], .head)).header("etag") == first)
    #expect(answer.prepared(for: get([:], .post)).header("etag") == first)
    #expect(answer.prepared(for: get([:], .put)).header("etag") == nil)
    #expect(json.prepared(for: get([:], .put)).header("etag") == "\"v1\"")
    // One byte more, fewer or changed gives another tag.
    var tags: Set<String> = []
    for length in 0..<200 {
      answer.body = [UInt8](repeating: 0, count: length)
      tags.insert(try #require(answer.prepared(for: get([:])).header("etag")))
      for at in 0..<length {
        answer.body[at] = 1
        tags.insert(try #require(answer.prepared(for: get([:])).header("etag")))
        answer.body[at] = 0
      }
    }
    #expect(tags.count == 200 + 199 * 100)
  }

  @Test func answersConditions() {
    for (field, tag) in [
      ("\"v1\"", "\"v1\""), ("W/\"v1\"", "\"v1\""), ("\"v1-gz\"", "\"v1-gz\""),
      ("\"a\", W/\"b\",\"v1\"", "\"v1\""), ("*", "\"v1\""), (" * ", "\"v1\""),
      ("\"a,b\", \"v1\"", "\"v1\""),
      ("\"v1-gz\", \"v1\"", "\"v1\""),
    ] {
      for method in [HTTPMethod.get, .head] {
        let request = get(["If-None-Match": field], method)
        let answer = json.prepared(for: request)
        #expect(answer.status == 304, "\(field)")
        #expect(answer.header("etag") == tag, "\(field)")
        #expect(answer.header("vary") == "Accept, Accept-Encoding")
        #expect(answer.header("content-type") == nil)
        #expect(answer.body.isEmpty)
        // Whether there is a representation is known when there is an answer.
        #expect(request.matches(etag: "v1") == !field.contains("*"))
      }
      #expect(json.prepared(for: get(["If-None-Match": field], .post)).status == 200)
      #expect(!get(["If-None-Match": field], .post).matches(etag: "v1"))
    }
    for field in [
      "\"v2\"", "v1", "\"v1", "\"\"", "\"*\"", "\"V1\"", "", "\"v1-gz-gz\"", "w/\"v1\"", "\"v1\"x",
      "\"a\"\"v1\"",
    ] {
      #expect(json.prepared(for: get(["If-None-Match": field])).status == 200, "\(field)")
      #expect(!get(["If-None-Match": field]).matches(etag: "v1"), "\(field)")
    }
    let both = get(["If-None-Match": "\"v1\", \"v1-gz\"", "Accept-Encoding": "gzip"])
    #expect(json.prepared(for: both).header("etag") == "\"v1-gz\"")
    // A handler that has compared the tags itself.
    let early = HTTPResponse(status: 304, etag: "v1").prepared(
      for: get(["If-None-Match": "\"v1-gz\"", "Accept-Encoding": "gzip"]))
    #expect(early.status == 304)
    #expect(early.header("etag") == "\"v1-gz\"")
    var missing = json
    missing.status = 404
    #expect(missing.prepared(for: get(["If-None-Match": "*"])).status == 404)
  }

  @Test func mergesVary() {
    for (given, merged) in [
      ("Origin", "Accept, Accept-Encoding, Origin"), ("*", "*"),
      ("accept-encoding", "Accept, accept-encoding"),
      ("Accept,Accept-Encoding", "Accept, Accept-Encoding"),
    ] {
      let answer = HTTPResponse(status: 200, headers: [(name: "vary", value: given)])
      #expect(answer.prepared(for: get([:])).header("Vary") == merged)
    }
    // Some caches read one such field only.
    let headers = [(name: "Vary", value: "Origin"), ("A", "b"), ("vary", "Authorization, accept")]
    let prepared = HTTPResponse(status: 200, headers: headers).prepared(for: get([:]))
    #expect(
      prepared.headers.filter { $0.name.lowercased() == "vary" }.map(\.value)
        == ["Accept-Encoding, Origin, Authorization, accept"])
    #expect(prepared.header("A") == "b")
  }
}
