import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI

/// The versions that writes tell, and reads that wait for them.
@Suite(.timeLimit(.minutes(10))) struct VersionTests {
  /// Reads of the collection `c` with the feature 1.
  private static let reads: [(method: HTTPMethod, target: String, body: String?)] = [
    (.get, "/collections/c", nil), (.get, "/collections/c?f=html", nil),
    (.get, "/collections/c/queryables", nil), (.get, "/collections/c/schema", nil),
    (.get, "/collections/c/schema?type=create", nil), (.get, "/collections/c/items?limit=3", nil),
    (.get, "/collections/c/items/1", nil),
    (.get, "/collections/c/clusters?bbox=0,0,9,9&zoom=4", nil),
    (.get, "/collections/c/clusters?bbox=0,0,9,9&zoom=4&f=geojson&filter=k%20IS%20NULL", nil),
    (.post, "/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":4}"#),
    (
      .post, "/collections/c/clusters?f=json",
      #"{"bbox":[0,0,9,9],"zoom":4,"keepApart":[\#(String(repeating: " ", count: 80_000))]}"#
    ),
    (.get, "/collections/c/clusters/n1", nil), (.get, "/collections/c/clusters/n1/items", nil),
    (.get, "/collections/c/clusters/n1/children?childZoom=6", nil),
    (.get, "/collections/c/clusters/n1/hull", nil),
    (.get, "/collections/c/pins?bbox=0,0,9,9", nil),
    (.post, "/collections/c/pins", #"{"bbox":[0,0,9,9]}"#),
    (
      .post, "/collections/c/items/1/locate",
      #"{"latitudinalMeters":9,"longitudinalMeters":9,"viewportWidth":9,"viewportHeight":9}"#
    ),
    (.get, "/collections/c/tiles", nil), (.get, "/collections/c/tiles/WebMercatorQuad", nil),
    (.get, "/collections/c/tiles/0/0/0", nil), (.get, "/collections/c/tiles/0/0/0.geojson", nil),
    (.get, "/collections/c/tiles/WebMercatorQuad/0/0/0", nil),
    (.get, "/collections/c/tiles.json", nil),
    (.head, "/collections/c/changes?bbox=0,0,9,9&zoom=4", nil),
    (.head, "/collections/c/changes?tiles=true&zoom=4", nil),
  ]

  private static func feature(_ id: String, _ properties: String = "{}") -> String {
    #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[1,2]},"properties":\#(properties)}"#
  }

  private func version(_ answer: Answer) -> Int? {
    answer.response.header("pincluster-version").flatMap { Int($0) }
  }

  @Test func `every write tells the version that reads have after it`() async throws {
    let service = try Service()
    let long = String(repeating: "x", count: 100_000)
    let item = "/collections/c/items/1"
    let writes: [(HTTPMethod, String, String?, status: Int)] = [
      (.put, "/collections/c", nil, 201), (.put, "/collections/c", #"{"title":"C"}"#, 200),
      (.post, "/collections/c/items", Self.feature("1"), 201),
      (.post, "/collections/c/items", Self.feature("1"), 200),
      (.post, "/collections/c/items", #"{"type":"FeatureCollection","features":[]}"#, 200),
      (.put, item, Self.feature("1", #"{"n":1}"#), 200),
      (.put, "/collections/c/items/2", Self.feature("2"), 201),
      (.patch, item, #"{"properties":{"n":2}}"#, 200),
      (.patch, item, #"{"properties":{"n":"\#(long)"}}"#, 200),
      (.patch, item, #"{"properties":{"m":3}}"#, 200), (.delete, item, nil, 204),
      (.delete, item, nil, 404), (.patch, item, "{}", 404),
      (.delete, "/collections/c/items?bbox=50,50,60,60", nil, 200),
      (.delete, "/collections/c/items?bbox=0,0,9,9", nil, 200),
    ]
    var last = 0
    for (method, target, body, status) in writes {
      let answer = await service.send(method, target, body)
      let told = version(answer)
      #expect(answer.status == status, "\(method) \(target): \(answer.text)")
      #expect(told == (await service.get("/collections/c")["version"]?.int), "\(method) \(target)")
      #expect(told ?? 0 >= last)
      if target == "/collections/c" { #expect(told == answer["version"]?.int) }
      last = told ?? 0
    }
    let skipped =
      #"{"type":"FeatureCollection","features":[\#(Self.feature("5")),{"type":"Feature"}]}"#
    let some = await service.post("/collections/c/items?onError=skip", skipped)
    #expect(some.status == 200 && version(some) == last + 1)
    let refused = await service.send(
      .put, "/collections/c/items/5", Self.feature("5"), headers: [("If-None-Match", "*")])
    #expect(refused.status == 412 && version(refused) == last + 1)
    for (method, target, body, status) in [
      (HTTPMethod.post, "/collections/c/items", skipped, 422), (.put, item, "{", 400),
      (.get, item, nil, 404), (.get, "/collections/c", nil, 200),
    ] as [(HTTPMethod, String, String?, Int)] {
      let answer = await service.send(method, target, body)
      #expect(answer.status == status && version(answer) == nil, "\(method) \(target)")
    }
    let dropped = await service.send(.delete, "/collections/c")
    #expect(dropped.status == 204 && version(dropped) == last + 2)
    let again = await service.send(.delete, "/collections/c")
    #expect(again.status == 404 && version(again) == last + 2)
    #expect(version(await service.send(.delete, "/collections/none")) == nil)
    #expect(version(await service.send(.put, "/collections/c")) ?? 0 >= last + 2)
    let exposed = again.response.header("Access-Control-Expose-Headers")
    #expect(exposed?.contains("Pincluster-Version") == true)
  }

  /// Several clients write here and read there, as fast as they can.
  @Test func `a read elsewhere sees what its client has written`() async throws {
    let service = try Service()
    let (follower, isOver) = (Follower(of: service, maxWait: 600), Locked(false))
    async let following: Void = {
      var generator = SeededGenerator(seed: 7)
      while !isOver.value {
        follower.look()
        try? await Task.sleep(for: .microseconds(generator.int(0...9000)))
      }
    }()
    await withTaskGroup { group in
      for writer in 1...8 {
        group.addTask {
          for round in 1...20 {
            let target = "/collections/c/items/\(writer)"
            let body = Self.feature("\(writer)", "{\"round\":\(round)}")
            let written = version(await service.send(.put, target, body)) ?? .max
            let read = await follower.get("\(target)?minVersion=\(written)")
            #expect(read["properties"]?["round"]?.int == round, "\(writer): \(read.text)")
            let view = await follower.get(
              "/collections/c/clusters?bbox=0,0,9,9&zoom=3&members=1", from: written)
            #expect(view["version"]?.int ?? 0 >= written && view.annotations.count == 1)
          }
        }
      }
    }
    isOver.withLock { $0 = true }
    await following
    #expect(follower.catalog.waits.figures.waiting == 0)
    #expect(follower.catalog.waits.figures.shown > 0 && follower.catalog.waits.figures.late == 0)
    // What has gone isn't waited for.
    let dropped = try #require(version(await service.send(.delete, "/collections/c")))
    async let waiting = follower.get("/collections/c", from: dropped)
    while follower.catalog.waits.figures.waiting == 0 { await Task.yield() }
    follower.look()
    await waiting.expectProblem(404)
    (await follower.get("/collections/c", from: dropped)).expectProblem(404)
  }

  @Test func `every read waits, and none that needn't`() async throws {
    let service = try Service(maxWait: 0)
    let stored = await service.store([TwinFeature(1, 2, 3)])
    let now = try #require(version(stored))
    for (method, target, body) in Self.reads {
      let mark = target.contains("?") ? "&" : "?"
      let plain = await service.send(method, target, body)
      #expect(plain.status == 200, "\(target): \(plain.text)")
      for (late, version) in [(false, now), (true, now + 1), (false, 0), (true, 1 << 53 - 1)] {
        let field = [(name: "Pincluster-Version", value: "\(version)")]
        for answer in [
          await service.send(method, "\(target)\(mark)minVersion=\(version)", body),
          await service.send(method, target, body, headers: field),
          await service.send(method, "\(target)\(mark)minVersion=0", body, headers: field),
        ] {
          guard late else {
            // Caches have the same, and links, too.
            #expect(answer.response.etag == plain.response.etag, "\(target)")
            #expect(method == .head || answer.text == plain.text, "\(target)")
            continue
          }
          answer.expectProblem(503, at: nil, target)
          #expect(answer.response.header("Retry-After") == "1")
          #expect(answer.text.contains("at version \(now) here"), "\(answer.text)")
        }
      }
    }
    // Whoever has it already waits as well.
    let tag = try #require(
      await service.get("/collections/c/items?limit=3").response.etag)
    let condition = [(name: "If-None-Match", value: "\"\(tag)\"")]
    for (version, status) in [(now, 304), (now + 1, 503)] {
      let answer = await service.get(
        "/collections/c/items?limit=3&minVersion=\(version)", headers: condition)
      #expect(answer.status == status)
    }
    // What can't be answered isn't waited for.
    (await service.get("/collections/c/items?limit=x&minVersion=99"))
      .expectProblem(400, at: "limit")
    (await service.get("/collections/none/items?minVersion=99")).expectProblem(404)
    (await service.get("/collections/n%20o/items?minVersion=99")).expectProblem(404)
  }

  @Test func `a wait ends when its time is over`() async throws {
    let service = try Service(maxWait: 0.2)
    let now = try #require(version(await service.store([TwinFeature(1, 2, 3)])))
    for (target, status) in [
      ("/collections/c?minVersion=\(now + 1)", 503), ("/collections/none?minVersion=1", 404),
    ] {
      let start = MonotonicTime.now
      (await service.get(target)).expectProblem(status)
      #expect(MonotonicTime.now - start >= 200_000_000)
    }
    let metrics = await service.get("/metrics").text
    #expect(metrics.contains("\npincluster_waiting_reads 0\n"))
    #expect(metrics.contains("\npincluster_waits_total{end=\"late\"} 2\n"))
  }

  @Test(arguments: [
    ("minVersion=x", "minVersion"), ("minVersion=", "minVersion"), ("minVersion", "minVersion"),
    ("minVersion=-1", "minVersion"), ("minVersion=1.5", "minVersion"),
    ("minVersion=9007199254740992", "minVersion"), ("minVersion=1e300", "minVersion"),
    ("minVersion=99999999999999999999999", "minVersion"), ("minVersion=nan", "minVersion"),
    ("minVersion=1,2", "minVersion"), ("minVersion=%FF", "minVersion"),
    ("minVersion=1&minVersion=1", "minVersion"), ("minVersion=1&min%56ersion=1", "minVersion"),
    ("%6DinVersion=x", "minVersion"), ("m%69nVersion=1%2E5", "minVersion"),
    ("minVersio=1", ""), ("minVersions=1", ""), ("MinVersion=1", ""),
  ])
  func `what is no version is refused`(query: String, pointer: String) async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for target in ["/collections/c", "/collections/c/tiles.json", "/collections/none"] {
      let answer = await service.get("\(target)?\(query)")
      // A name that is nearly that is unknown, or that of a property that no feature has.
      answer.expectProblem(400, at: pointer.isEmpty ? nil : pointer, "\(target) \(query)")
    }
  }

  @Test func `fields that name no version are refused, and writes don't look at them`() async throws
  {
    let service = try Service(maxWait: 0)
    await service.store([TwinFeature(1, 2, 3)])
    for text in ["", "x", "-1", "+1", "1.0", "0x1", "9007199254740992", "1, 1", "٣", "1 1"] {
      let field = [(name: "Pincluster-Version", value: text)]
      (await service.get("/collections/c", headers: field))
        .expectProblem(400, at: "Pincluster-Version", text)
      #expect(await service.get("/collections", headers: field).status == 200)
      #expect(await service.get("/health/live", headers: field).status == 200)
      let put = await service.send(
        .put, "/collections/c/items/1", Self.feature("1"), headers: field)
      #expect(put.status == 200)
    }
    for text in ["0", " 1 ", "0000000000000001"] {
      let field = [(name: "Pincluster-Version", value: text)]
      #expect(await service.get("/collections/c", headers: field).status == 200, "\(text)")
    }
    for (method, target) in [
      (HTTPMethod.get, "/collections"), (.put, "/collections/c/items/1"),
      (.delete, "/collections/c"),
      (.post, "/collections/c/items"), (.get, "/conformance"),
    ] {
      let body = [.put, .post].contains(method) ? Self.feature("1") : nil
      (await service.send(method, "\(target)?minVersion=1", body))
        .expectProblem(400, at: "minVersion", target)
    }
    let inBody = await service.post(
      "/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":4,"minVersion":1}"#)
    inBody.expectProblem(400, at: "/minVersion")
    // Escapes are no way around it.
    (await service.get("/collections/c/items?m%69nVersion=9999")).expectProblem(503)
  }

  @Test func `more than there is room for are refused, by address`() async throws {
    let service = try Service(maxWait: 600)
    let now = try #require(version(await service.store([TwinFeature(1, 2, 3)])))
    let waits = service.catalog.waits
    let (target, statuses) = ("/collections/c?minVersion=\(now + 1)", Locked<[Int]>([]))
    let begin = { @Sendable (client: UInt64) in
      service.begin(.get, target, client: client) { answer in
        statuses.withLock { $0.append(answer.status) }
      }
    }
    for number in 0..<1000 { begin(UInt64(number / 250)) }
    #expect(waits.figures.waiting == 1000 && statuses.value == [])
    begin(3)
    #expect(statuses.value == [429])
    // Others have their turn, at the expense of one who has most.
    for client in 10..<20 as Range<UInt64> { begin(client) }
    #expect(waits.figures.waiting == 1000)
    #expect(statuses.value == [429] + Array(repeating: 503, count: 10))
    let metrics = await service.get("/metrics").text
    #expect(metrics.contains("\npincluster_waiting_reads 1000\n"))
    #expect(metrics.contains("\npincluster_refused_total{reason=\"waits\"} 10\n"))
    #expect(metrics.contains("\npincluster_refused_total{reason=\"address_share\"} 1\n"))
    // Whoever needn't wait is answered.
    #expect(await service.get("/collections/c?minVersion=\(now)").status == 200)
    await service.store([TwinFeature(2, 2, 3)])
    for _ in 0..<3000 where statuses.value.count < 1011 {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(statuses.value.count { $0 == 200 } == 1000 && waits.figures.waiting == 0)
    // A service that stops ends waits, and lets nobody begin one.
    begin(1)
    async let last = service.get("/collections/c?minVersion=\(now + 3)")
    while waits.figures.waiting == 0 { await Task.yield() }
    service.catalog.setStopping()
    await last.expectProblem(503)
    (await service.get("/collections/c?minVersion=\(now + 3)")).expectProblem(503)
    #expect(await service.get("/collections/c").status == 200)
  }

  @Test func `a tenant waits for what it sees, and learns of nothing else`() async throws {
    let keys = """
      admin:root
      {"scope":"write","key":"a","filter":"t = 'a'"}
      {"scope":"write","key":"b","filter":"t = 'b'"}
      """
    let service = try Service(keys: keys, maxWait: 600)
    @Sendable func send(
      _ key: String, _ method: HTTPMethod, _ target: String, _ body: String? = nil
    ) async -> Answer {
      await service.send(
        method, target, body, headers: [("Authorization", "Bearer \(key)")])
    }
    @Sendable func put(_ key: String, _ id: Int, _ n: Int = 0) async throws -> Int {
      let body = Self.feature("\"\(key)\(id)\"", "{\"t\":\"\(key)\",\"n\":\(n)}")
      let answer = await send(key, .put, "/collections/c/items/\(key)\(id)", body)
      #expect([200, 201].contains(answer.status), "\(answer.text)")
      return try #require(version(answer))
    }
    #expect(await send("root", .put, "/collections/c").status == 201)
    let (first, other) = (try await put("a", 1), try await put("b", 1))
    let whole = try #require(await send("root", .get, "/collections/c")["version"]?.int)
    #expect(first > whole && other > whole, "the version of all tells how much others write")
    let info = await send("a", .get, "/collections/c?minVersion=\(first)")
    #expect(info["version"]?.int == first && info["featureCount"]?.int == 1)
    let missing = await send("a", .delete, "/collections/c/items/b1")
    #expect(missing.status == 404 && version(missing) == first)

    // Where instances share a store, a version is a time, to which others' writes lead as well.
    if Service.postgres == nil {
      try await waitsForOwnWrites(service, first) { try await put($0, $1, $2) }
    } else {
      _ = try await put("a", 2)
    }
    for n in 3...30 {
      let written = try await put("a", n)
      let read = await send("a", .get, "/collections/c/items?limit=99&minVersion=\(written)")
      #expect(read["numberMatched"]?.int == n)
    }
  }

  private func waitsForOwnWrites(
    _ service: Service, _ first: Int,
    _ put: @escaping @Sendable (_ key: String, _ id: Int, _ n: Int) async throws -> Int
  ) async throws {
    let answer = Locked<Answer?>(nil)
    service.begin(
      .get, "/collections/c?minVersion=\(first + 1)", headers: [("Authorization", "Bearer a")]
    ) { reply in answer.withLock { $0 = reply } }
    while service.catalog.waits.figures.waiting == 0 { await Task.yield() }
    for n in 1...20 { _ = try await put("b", 1, n) }
    try await Task.sleep(for: .milliseconds(50))
    #expect(answer.value == nil && service.catalog.waits.figures.waiting == 1)
    // Its own write ends it, whatever others write meanwhile.
    let second = try await withThrowingTaskGroup(of: Int.self) { group in
      for id in 2...5 {
        group.addTask {
          _ = try await put("b", id, 0); return 0
        }
      }
      group.addTask { try await put("a", 2, 0) }
      return try await group.reduce(0, max)
    }
    for _ in 0..<3000 where answer.value == nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(answer.value?["version"]?.int == second && answer.value?["featureCount"]?.int == 2)
  }
}
