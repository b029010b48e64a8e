import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Those who fetch the tiles that events name, and no others, show what a fresh request would.
@Suite(.timeLimit(.minutes(10))) struct WatchedTilesTests {
  private let path = "/collections/c"

  /// A client that shows all tiles of a zoom.
  private struct Client {
    let zoom: Int
    let query: String
    var tiles: [String: [UInt8]] = [:]
    var version: Int64 = 0

    static func names(zoom: Int) -> [String] {
      (0..<1 << zoom).flatMap { x in (0..<1 << zoom).map { "\(zoom)/\(x)/\($0)" } }
    }
  }

  /// What an event says.
  private struct Event {
    var version: Int64?
    /// Nil for all.
    var tiles: [String]?

    init(_ bytes: some Sequence<UInt8>) throws {
      let text = String(decoding: Array(bytes), as: UTF8.self)
      let lines = text.split(separator: "\n")
      #expect(lines.contains("event: tiles"))
      let data = try #require(lines.first { $0.hasPrefix("data: ") }).dropFirst(6)
      let json = try TestJSON(parsing: Array(data.utf8))
      version = json["version"]?.int.map(Int64.init)
      #expect(lines.contains("id: \(version ?? -1)"))
      if json["all"] == .bool(true) { return }
      tiles = try #require(json["tiles"]?.array).map {
        "\($0["z"]?.int ?? -1)/\($0["x"]?.int ?? -1)/\($0["y"]?.int ?? -1)"
      }
    }
  }

  private func watched(_ query: String, _ log: InvalidationLog, _ service: Service) throws
    -> WatchedTiles
  {
    let fields = try Fields(
      query: query, allowed: TileRequest.names + ["zoom", "bbox"], othersAreProperties: true)
    return WatchedTiles(try WatchedTiles.Request(fields), log)
  }

  private func all(_ client: Client, _ service: Service) async -> [String: [UInt8]] {
    var tiles: [String: [UInt8]] = [:]
    for name in Client.names(zoom: client.zoom) {
      let answer = await service.get("\(path)/tiles/\(name)?\(client.query)")
      #expect([200, 204].contains(answer.status), "\(answer.text)")
      tiles[name] = answer.response.body
    }
    return tiles
  }

  @Test(
    arguments: zip(
      ["", "filter=k%20%3C%202", "groupBy=k&countBy=k", "decluster=true&minPoints=9", "k=1"],
      1...9 as ClosedRange<UInt64>))
  func `no tile that has changed is missing`(query: String, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let pool = RandomCoordinates(using: &generator)
    let first = (1...60).map { pool.feature($0, using: &generator) }.joined(separator: ",")
    await service.post("\(path)/items", #"{"type":"FeatureCollection","features":[\#(first)]}"#)
      .expect(200)
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let zoom = generator.int(1...2)
    let view = try watched("zoom=\(zoom)&\(query)", log, service)
    let start = try #require(log.take())
    let begun = try view.update(to: start, invalidated: nil, wantsView: true)
    #expect(try Event(begun.view ?? []).tiles == nil && begun.changes == nil)
    var client = Client(zoom: zoom, query: query, version: start.info.version)
    client.tiles = await all(client, service)
    var late = client
    var named = 0
    for round in 0..<30 {
      let writes = generator.pick([1, 1, 1, 3])
      for _ in 0..<writes {
        let id = generator.int(1...80)
        switch generator.int(0...4) {
        case 0: _ = await service.send(.delete, "\(path)/items/\(id)")
        case 1:
          _ = await service.send(
            .patch, "\(path)/items/\(id)", #"{"properties":{"k":\#(generator.int(0...3))}}"#,
            type: "application/json")
        default:
          await service.post("\(path)/items", pool.feature(id, using: &generator)).expect(200, 201)
        }
      }
      let snapshot = try #require(log.take())
      let update = try view.update(
        to: snapshot, invalidated: log.coordinates(after: view.version), wantsView: false)
      let now = await all(client, service)
      let event = try update.changes.map { try Event($0) }
      let listed = Set(event == nil ? [] : try #require(event?.tiles))
      let changed = Set(now.keys.filter { now[$0] != client.tiles[$0] })
      #expect(changed.isSubset(of: listed), "round \(round): \(changed) \(listed)")
      if let event { #expect(event.version == snapshot.info.version) }
      named += listed.count
      client.tiles = now
      // One who was away gets at least what it has missed.
      guard round % 10 == 9 else { continue }
      let invalidated = try #require(log.coordinates(after: late.version))
      guard case .event(let missed) = view.missed(invalidated: invalidated, in: snapshot) else {
        Issue.record("nothing was missed")
        continue
      }
      let caught = Set(try #require(try Event(missed).tiles))
      #expect(Set(now.keys.filter { now[$0] != late.tiles[$0] }).isSubset(of: caught))
      (late.tiles, late.version) = (now, snapshot.info.version)
    }
    #expect(named > 15)
  }

  @Test func `a tile that was encoded is named only if it changes`() async throws {
    let service = try await Service([TwinFeature(1, 10, 10, #"{"k":1}"#), TwinFeature(2, -100, 10)])
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let view = try watched("zoom=2&filter=k%3D1&bbox=0,0,90,80", log, service)
    func changes() throws -> [String]? {
      let snapshot = try #require(log.take())
      let update = try view.update(
        to: snapshot, invalidated: view.isKnown ? log.coordinates(after: view.version) : nil,
        wantsView: false)
      return try update.changes.map { try Event($0).tiles ?? ["all"] }
    }
    #expect(try changes() == nil)
    await service.store([TwinFeature(3, 12, 12, #"{"k":1}"#)])
    #expect(try changes() == ["2/2/1"])
    // What the filter leaves out, what is elsewhere, and what stays the same.
    await service.store([TwinFeature(4, 13, 13, #"{"k":2}"#)])
    #expect(try changes() == nil)
    await service.store([TwinFeature(5, -100, 10, #"{"k":1}"#)])
    #expect(try changes() == nil)
    await service.store([TwinFeature(3, 12, 12, #"{"k":1}"#)])
    #expect(try changes() == nil)
    // There and back: who has fetched the tile between shows what is no longer there.
    await service.store([TwinFeature(3, 60, 60, #"{"k":1}"#)])
    await service.store([TwinFeature(3, 12, 12, #"{"k":1}"#)])
    #expect(Set(try changes() ?? []) == ["2/2/1"])
    await service.store(
      (0..<1500).map {
        TwinFeature(1000 + $0, Double($0 % 90), Double($0 / 90) * 4, #"{"k":1}"#)
      })
    #expect(try changes()?.isEmpty == false)
    await service.send(
      .put, path, #"{"temporal":{"property":"t"}}"#, type: "application/json"
    ).expect(200)
    #expect(try changes() == ["all"])
  }

  @Test func `more tiles than an event lists are all`() async throws {
    let service = try await Service([TwinFeature(1, 1, 0)])
    let version = try #require(service.catalog["c"]).info.version
    let target = "\(path)/changes?tiles=true&zoom=9"
    // From now on changes are noted.
    _ = await service.send(.head, target)
    await service.store((0..<1000).map { TwinFeature($0, Double($0 % 100), Double($0 / 100) * 3) })
    let list = await service.get("\(target)&since=\(version)")
    #expect(try Event(list.response.body.dropFirst(13)).tiles?.count == 1000)
    await service.store([TwinFeature(5000, -90, 10)])
    let more = await service.get("\(target)&since=\(version)")
    #expect(try Event(more.response.body.dropFirst(13)).tiles == nil)
  }

  @Test func `streams of tiles begin with what a client lacks`() async throws {
    let service = try await Service([TwinFeature(1, 10, 10), TwinFeature(2, -10, -10)])
    let target = "\(path)/changes?tiles=true&zoom=1"
    let first = await service.get(target)
    #expect(first.status == 200 && first.type == "text/event-stream")
    let version = try #require(service.catalog["c"]).info.version
    let begun = try Event(first.response.body.dropFirst(13))
    #expect(begun.tiles == nil && begun.version == version)
    let none = await service.get("\(target)&since=\(version)")
    #expect(none.text == "retry: 2000\n\nid: \(version)\n\n")
    await service.store([TwinFeature(3, 11, 11)])
    for headers in [[], [(name: "Last-Event-ID", value: "\(version)")]] {
      let since = headers.isEmpty ? "&since=\(version)" : ""
      let some = await service.send(.get, target + since, headers: headers)
      #expect(try Event(some.response.body.dropFirst(13)).tiles == ["1/1/0"])
    }
    let elsewhere = await service.get("\(target)&bbox=-90,-80,-20,-10&since=\(version)")
    #expect(elsewhere.text == "retry: 2000\n\nid: \(version + 1)\n\n")
    let old = await service.get("\(target)&since=\(version - 1)")
    #expect(try Event(old.response.body.dropFirst(13)).tiles == nil)
  }

  @Test(arguments: [
    ("", 400, "zoom"), ("zoom=1.5", 400, "zoom"), ("zoom=25", 422, "zoom"),
    ("zoom=-1", 422, "zoom"), ("zoom=1&bbox=0,0,9,9&region=1,1,1,1", 400, "region"),
    ("zoom=1&cellSize=4000", 422, "cellSize"), ("zoom=1&filter=k%20%3D", 400, "filter"),
    ("zoom=1&since=x", 400, "since"), ("zoom=1&land=DE", 400, "land"),
    ("zoom=1&tiles=true", 400, "tiles"), ("zoom=1&viewportWidth=3", 400, "viewportWidth"),
  ])
  func `what can't be watched is refused`(fields: String, status: Int, pointer: String)
    async throws
  {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let answer = await service.get("\(path)/changes?tiles=true&\(fields)")
    answer.expectProblem(status, at: pointer)
    await service.get("\(path)/changes?tiles=perhaps&\(fields)").expectProblem(400)
    await service.get("\(path)/changes?tiles=false&zoom=1").expectProblem(400, at: "bbox")
    await service.get("/collections/none/changes?tiles=true&zoom=1").expectProblem(404)
  }
}
