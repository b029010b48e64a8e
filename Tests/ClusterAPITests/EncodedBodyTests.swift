import FeatureStore
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Bodies that clients compress.
@Suite(.timeLimit(.minutes(10))) struct EncodedBodyTests {
  /// The gzip form of a body of at least a kilobyte.
  private static func gzip(_ body: [UInt8]) -> [UInt8] {
    HTTPResponse(status: 200, headers: [("Content-Type", "text/plain")], body: body)
      .prepared(for: HTTPRequest(headers: ["Accept-Encoding": "gzip"])).body
  }

  private static func send(
    _ service: Service, _ method: HTTPMethod, _ path: String, _ body: [UInt8],
    type: String = "application/json", coding: String? = "gzip"
  ) async -> Answer {
    var fields = [(name: "Content-Type", value: type)]
    if let coding { fields.append(("Content-Encoding", coding)) }
    let request = HTTPRequest(
      method: method, path: path, headers: HTTPHeaders(fields), body: RequestBody(body))
    return await withCheckedContinuation { continuation in
      service.api.handle(request) { continuation.resume(returning: Answer(response: $0)) }
    }
  }

  private static func features(_ count: Int) -> [UInt8] {
    Array((0..<count).map { TwinFeature($0, Double($0 % 170), 3) }.featureCollection.utf8)
  }

  @Test func `a compressed body is as good as a plain one`() async throws {
    let service = try Service()
    // On the event loop, beyond it, and with more than one part.
    for (number, count) in [30, 3000, 20_000].enumerated() {
      let body = Self.features(count)
      let packed = Self.gzip(body)
      #expect(packed.count < body.count / 4)
      for coding in ["gzip", " X-GZIP "] {
        let answer = await Self.send(
          service, .post, "/collections/c\(number)/items", packed, coding: coding)
        #expect(answer.status == 200, "\(answer.text)")
      }
      #expect(await service.get("/collections/c\(number)")["featureCount"]?.int == count)
    }
    let line = Array((TwinFeature(1, 2, 3).geoJSON + "\n").utf8)
    let lines = [UInt8]((0..<40).map { _ in line }.joined())
    let parts = await Self.send(
      service, .post, "/collections/p/items", Self.gzip(lines) + Self.gzip(lines),
      type: "application/x-ndjson")
    #expect(parts["updated"]?.int == 79, "\(parts.text)")

    let ask = Array(
      ("{\"bbox\":[0,0,9,9],\"zoom\":3" + String(repeating: " ", count: 2000) + "}").utf8)
    let plain = await Self.send(service, .post, "/collections/c0/clusters", ask, coding: nil)
    let packed = await Self.send(service, .post, "/collections/c0/clusters", Self.gzip(ask))
    #expect(plain.status == 200 && packed.text == plain.text)
    #expect(packed.response.etag == plain.response.etag)
    let identity = await Self.send(
      service, .post, "/collections/c0/clusters", ask, coding: "identity")
    #expect(identity.text == plain.text)
  }

  @Test func `what is no gzip, or another coding, is refused`() async throws {
    let service = try Service()
    let packed = Self.gzip(Self.features(100))
    var noSum = packed
    noSum[packed.count - 5] ^= 1
    var noSize = packed
    noSize[packed.count - 1] ^= 1
    let cases: [(damaged: [UInt8], reason: String)] = [
      (Array("{}".utf8), "not gzip"), (Self.features(1), "not gzip"),
      ([UInt8](repeating: 0, count: 40), "not gzip"), (Array(packed.prefix(2)), "cut off"),
      (packed + [0], "follow"), (packed + Array("{}".utf8), "follow"),
      (packed + packed.prefix(1), "follow"),
      (packed + [UInt8](repeating: 0xFF, count: 100), "follow"),
      (packed + packed.dropLast(), "cut off"), (noSum, "damaged"), (noSize, "damaged"),
    ]
    for (damaged, reason) in cases {
      let answer = await Self.send(service, .post, "/collections/c/items", damaged)
      answer.expectProblem(400)
      #expect(answer.text.contains(reason), "\(reason): \(answer.text)")
    }
    // Wherever it is cut off, and whatever its last bytes then say of its size: at all places of the head and the
    // end, and at some in between, as each waits for a thread of low priority.
    let end = packed.count - 24
    let within = Array(stride(from: 24, to: end, by: 11))
    for count in Array(1..<24) + within + Array(end..<packed.count) {
      let answer = await Self.send(
        service, .post, "/collections/c/items", Array(packed[..<count]))
      answer.expectProblem(400)
      #expect(
        answer.text.contains(count < 2 ? "not gzip" : "cut off"), "\(count): \(answer.text)")
    }
    let other = await Self.send(service, .post, "/collections/c/items", packed, coding: "br")
    other.expectProblem(415)
    #expect(other.response.header("Accept-Encoding")?.contains("gzip") == true)
    (await service.get("/collections/c")).expectProblem(404)
    // A GET has no use for its body.
    #expect(await Self.send(service, .get, "/collections", packed, coding: "br").status == 200)
  }

  @Test func `what a body holds counts against the limits`() async throws {
    let service = try Service(
      limits: {
        var limits = WriteLimits()
        limits.bodyBytes = 1 << 20
        return limits
      }())
    func zeros(_ count: Int) -> [UInt8] { Self.gzip([UInt8](repeating: 0x20, count: count)) }
    let cases: [(HTTPMethod, String, Int)] = [
      (.post, "/collections/c/items", 1 << 20), (.post, "/collections/c/clusters", 1 << 20),
      (.put, "/collections/c/items/1", 1 << 20),
    ]
    for (method, path, limit) in cases {
      let over = await Self.send(service, method, path, zeros(limit + 1))
      over.expectProblem(413)
      let within = await Self.send(service, method, path, zeros(limit))
      #expect(within.status == 400, "\(path): \(within.text)")
      // Each part is small, and none says how much they are together.
      let parts = await Self.send(
        service, method, path, (0..<20).flatMap { _ in zeros(limit / 16) })
      parts.expectProblem(413)
    }
    try await service.expectAllWriteMemory()
  }
}
