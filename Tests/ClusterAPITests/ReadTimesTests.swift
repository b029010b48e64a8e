import ClusterCore
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI

/// The time that reads have taken, and the place where the next ones begin.
@Suite(.timeLimit(.minutes(10))) struct ReadTimesTests {
  private static func request(_ target: String, _ body: String? = nil) -> HTTPRequest {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    return HTTPRequest(
      method: body == nil ? .get : .post, path: parts[0], query: parts.count > 1 ? parts[1] : nil,
      headers: HTTPHeaders(body == nil ? [] : [(name: "Content-Type", value: "application/json")]),
      body: body.map { RequestBody(Array($0.utf8)) } ?? .empty)
  }

  /// Random reads of every kind about a feature.
  private static func reads(
    _ feature: TwinFeature, _ generator: inout SeededGenerator
  ) -> [(kind: String, request: HTTPRequest)] {
    let width = pow2(generator.double(-9...0)) * 360
    let west = max(feature.coordinate.longitude - width * generator.double(0...1), -180)
    let south = max(feature.coordinate.latitude - width / 2 * generator.double(0...1), -85)
    let bbox = "bbox=\(west),\(south),\(min(west + width, 180)),\(min(south + width / 2, 85))"
    let view = "/collections/c/clusters?\(bbox)&viewportWidth=\(generator.int(320...1600))"
    let cells = 1 << generator.int(2...12)
    let grid = CellGrid(cellsPerWorld: cells)
    let point = WebMercator.project(feature.coordinate)
    let annotation =
      "/collections/c/clusters/g\(cells)_60_\(grid.cell(of: point.x))_\(grid.cell(of: point.y))"
    let coordinate =
      "{\"latitude\":\(feature.coordinate.latitude),\"longitude\":\(feature.coordinate.longitude)}"
    let previous = (0..<generator.int(1...200)).map {
      "{\"id\":\"n\($0)\",\"coordinate\":\(coordinate)}"
    }
    let aggregate = "aggregate=%7B%22mean%22:%5B%22mean%22,%22population%22%5D%7D"
    return [
      ("plain", request(view)),
      ("filter", request("\(view)&filter=population%3E\(generator.int(0...900))")),
      ("groupBy", request("\(view)&groupBy=kind")),
      ("countBy", request("\(view)&countBy=kind")), ("aggregate", request("\(view)&\(aggregate)")),
      ("members", request("\(view)&members=\(generator.pick([1, 10, 100]))")),
      ("titles", request("\(view)&titleProperty=name&subtitleLimit=\(generator.int(1...100))")),
      ("decluster", request("\(view)&decluster=true&minPoints=\(generator.int(1...4))")),
      ("keepApart", request("\(view)&keepApart=1,2,3")), ("debug", request("\(view)&debug=true")),
      ("geojson", request("\(view)&f=geojson&properties=name")),
      ("fields", request("\(view)&fields=id,coordinate,count")),
      (
        "previous",
        request(
          "/collections/c/clusters",
          "{\"bbox\":[\(west),\(south),\(min(west + width, 180)),\(min(south + width / 2, 85))],"
            + "\"viewportWidth\":800,\"previous\":[\(previous.joined(separator: ","))]}")
      ),
      ("distance", request("\(view)&method=distance&epsilon=\(generator.int(10...80))")),
      ("collision", request("\(view)&method=collision")),
      ("items", request("/collections/c/items?limit=\(generator.int(1...10_000))")),
      (
        "items with some properties",
        request("/collections/c/items?limit=\(generator.int(1...10_000))&properties=name")
      ),
      (
        "bare items", request("/collections/c/items?properties=none&skipGeometry=true&limit=5000")
      ),
      ("table", request("/collections/c/items?f=csv&limit=\(generator.int(1...10_000))")),
      ("items of a bbox", request("/collections/c/items?\(bbox)&limit=10000")),
      ("pins", request("/collections/c/pins?\(bbox)&limit=10000")),
      ("annotation", request("\(annotation)?members=\(generator.pick([0, 10, 100]))")),
      ("its items", request("\(annotation)/items?limit=10000")),
      (
        "locate",
        request(
          "/collections/c/items/\(feature.id)/locate",
          "{\"latitudinalMeters\":\(generator.int(100...1_000_000)),\"longitudinalMeters\":1000,"
            + "\"viewportWidth\":390,\"viewportHeight\":844}")
      ),
    ]
  }

  private static func pow2(_ exponent: Double) -> Double {
    var (value, rest) = (1.0, exponent)
    while rest <= -1 { (value, rest) = (value / 2, rest + 1) }
    return value * (1 + rest / 2)
  }

  private static func features(_ generator: inout SeededGenerator) -> [TwinFeature] {
    TwinFeature.cities(6000, towns: 200, using: &generator).enumerated().map {
      var feature = $1
      feature.properties =
        "{\"name\":\"city \($0)\",\"population\":\($0 * 37 % 1001),\"kind\":\"k\($0 % 5)\"}"
      return feature
    }
  }

  private static func answer(_ service: Service, _ request: HTTPRequest) async -> Answer {
    await withCheckedContinuation { continuation in
      service.api.handle(request) { continuation.resume(returning: Answer(response: $0)) }
    }
  }

  /// An event loop that gives up at the first look has begun to answer nothing, and left nothing wrong behind.
  @Test func `reads that are given up on an event loop have the same answers`() async throws {
    var generator = SeededGenerator(seed: 93)
    let (hasty, patient) = (try Service(mostOnLoop: 1), try Service(mostOnLoop: 0))
    let features = ReadTimesTests.features(&generator)
    for service in [hasty, patient] { await service.store(features) }
    var (kinds, places): (Set<String>, Set<String?>) = ([], [])
    for _ in 0..<8 {
      for (kind, request) in ReadTimesTests.reads(generator.pick(features), &generator) {
        let (first, second) = (
          await ReadTimesTests.answer(hasty, request), await ReadTimesTests.answer(patient, request)
        )
        #expect(first.status == second.status && first.text == second.text, "\(request.target)")
        kinds.insert(kind)
        if case .read(let kind, _) = try? Route.outcome(of: request, from: hasty.api.resources) {
          places.insert(hasty.api.times.lane(for: hasty.api.times.time(of: kind))?.rawValue)
        }
      }
    }
    // Of some it is known that they take time, and little. Whether any is taken for one that takes none is chance.
    #expect(kinds.count == 24 && places.contains("quick"))
  }

  @Test func `reads of a kind that takes too long begin elsewhere, others where the request came`()
    async throws
  {
    var generator = SeededGenerator(seed: 94)
    let (hasty, patient) = (
      try Service(mostOnLoop: 1), try Service(mostOnLoop: 1_000_000_000_000)
    )
    let features = TwinFeature.cities(3000, using: &generator)
    for service in [hasty, patient] { await service.store(features) }
    var sent = 0
    for request in [
      ReadTimesTests.request("/collections/c/clusters?bbox=1,2,3,4&zoom=8"),
      ReadTimesTests.request("/collections/c/items?limit=10"),
      ReadTimesTests.request("/collections/c/items?limit=3000"),
      ReadTimesTests.request("/collections/c/clusters?bbox=-180,-80,180,80&zoom=5&members=100"),
      ReadTimesTests.request("/collections/c/clusters", "{\"bbox\":[1,2,3,4],\"zoom\":9}"),
    ] {
      for service in [hasty, patient] {
        // The first of a kind begins where it came in anyway.
        _ = await ReadTimesTests.answer(service, request)
        let done = Locked(false)
        let (isHere, status) = await withCheckedContinuation { continuation in
          service.api.handle(request) { response in
            // While `handle` runs, the reply can only be here if it is on the same thread.
            continuation.resume(returning: (!done.withLock { $0 }, response.status))
          }
          done.withLock { $0 = true }
        }
        #expect(status == 200)
        if service === patient { #expect(isHere, "\(request.target)") }
        // An answer that is kept isn't read again. Another thread may be done before `handle` returns, but there is a time
        // by which the request was sent to it.
        guard case .read(let kind, _) = try Route.outcome(of: request, from: service.api.resources)
        else { continue }
        let time = service.api.times.time(of: kind)
        #expect((time > 0) == (service === hasty), "\(request.target)")
        sent += time > 0 ? 1 : 0
      }
    }
    #expect(sent == 3)
  }

  // MARK: The memory

  private static func kind(_ number: Int) -> ReadKind {
    var kind = ReadKind(.clusters, of: "c")
    kind.add(number)
    return kind
  }

  @Test func `a time is kept until shorter ones have worn it down`() {
    let (times, kind) = (ReadTimes(mostOnLoop: 1_000_000), ReadTimesTests.kind(1))
    func lane() -> WorkQueue.Lane? { times.lane(for: times.time(of: kind)) }
    #expect(lane() == nil && times.time(of: kind) == 0)
    times.note(249_999, of: kind, isDone: true)
    #expect(lane() == nil)
    times.note(250_000, of: kind, isDone: false)
    #expect(lane() == .quick)
    times.note(20_000_000, of: kind, isDone: true)
    #expect(lane() == .long && times.time(of: kind) == 20_000_000)
    // Work that was given up tells no more than that it takes as long.
    times.note(1000, of: kind, isDone: false)
    #expect(times.time(of: kind) == 20_000_000)
    var rounds = 0
    while lane() != nil, rounds < 100 {
      times.note(1000, of: kind, isDone: true)
      rounds += 1
    }
    // 20 ms by 7/8 each time.
    #expect(rounds == 33 && times.time(of: kind) == 0)
    #expect(ReadTimes(mostOnLoop: 0).lane(for: 1_000_000_000) == nil)
  }

  /// A client that asks for cheap and expensive reads of a kind, in the order that is worst for the event loop.
  @Test func `expensive reads among cheap ones cost an event loop its budget now and then`() {
    let (times, kind) = (ReadTimes(mostOnLoop: 1_000_000), ReadTimesTests.kind(2))
    var given = 0
    for _ in 0..<1000 {
      if times.lane(for: times.time(of: kind)) == nil {
        given += 1
        times.note(250_000, of: kind, isDone: false)
        times.note(5_000_000, of: kind, isDone: true)
      } else {
        times.note(10_000, of: kind, isDone: true)
      }
    }
    #expect(given <= 1000 / 20)
  }

  /// A client that asks for another kind each time, of which nothing is known.
  @Test func `a client whose reads were given up has the next of unknown kinds begin elsewhere`() {
    let times = ReadTimes(mostOnLoop: 1_000_000)
    var (number, given) = (10, 0)
    func ask(_ time: UInt, by client: UInt64) -> Bool {
      number += 1
      let kind = ReadTimesTests.kind(number)
      let isHere = times.lane(for: kind, of: client) == nil
      if isHere, time >= 1_000_000 {
        given += 1
        times.note(1_000_000, of: kind, by: client, isDone: false)
      }
      times.note(time, of: kind, by: client, isDone: true)
      return isHere
    }
    // What is done in time here tells nothing against a client.
    #expect(ask(999_999, by: 7) && ask(999_999, by: 7))
    #expect(ask(1_000_000, by: 7))
    for _ in 0..<1000 { _ = ask(50_000_000, by: 7) }
    // Now and then a kind takes the place of the client.
    #expect((1...3).contains(given))
    // Others don't know that.
    #expect(ask(1000, by: 8))
    // One that is abandoned before that tells nothing for the client.
    times.note(10, of: ReadTimesTests.kind(1), by: 7, isDone: false)
    var short = 0
    while !ask(1000, by: 7), short < 100 { short += 1 }
    #expect(short == 11)
    // A kind that is known is where it belongs, whoever asks.
    let (known, dear) = (ReadTimesTests.kind(2), ReadTimesTests.kind(3))
    times.note(20_000_000, of: dear, by: 9, isDone: true)
    for client: UInt64 in [8, 9] { #expect(times.lane(for: dear, of: client) == .long) }
    #expect(times.lane(for: known, of: 9) == .quick && times.lane(for: known, of: 8) == nil)
  }

  @Test func `kinds don't know each other's times, however many there are`() {
    let times = ReadTimes(mostOnLoop: 1_000_000)
    for number in 0..<100_000 {
      times.note(1_000_000, of: ReadTimesTests.kind(number), isDone: true)
    }
    var known = 0
    for number in 0..<100_000 where times.time(of: ReadTimesTests.kind(number)) > 0 { known += 1 }
    #expect((2000...4096).contains(known))
    #expect((100_000..<200_000).allSatisfy { times.time(of: ReadTimesTests.kind($0)) == 0 })
    #expect(MemoryLayout<InlineArray<4096, UInt64>>.size == 32_768)
  }
}
