import Foundation
import PinclusterClient
import TestSupport
import Testing

/// The client library against the real service.
@Suite(.timeLimit(.minutes(5))) struct ClientTests {
  private let server: ServerProcess
  private let pincluster: Pincluster

  init() throws {
    server = try ServerProcess.ready()
    pincluster = Pincluster(try #require(URL(string: "http://127.0.0.1:\(server.port)")))
  }

  private var world: ViewRequest {
    var request = ViewRequest(
      .bbox(BoundingBox(west: -180, south: -85, east: 180, north: 85)), .zoom(4))
    (request.marginFactor, request.titleProperty) = (0, "name")
    return request
  }

  private func feature(_ id: Int64, _ longitude: Double, _ latitude: Double) -> Feature {
    Feature(
      id: .integer(id), coordinate: Coordinate(latitude: latitude, longitude: longitude),
      properties: [
        "name": .string("no. \(id)"), "n": .integer(id), "list": [1, 2.5, nil, ["a": true]],
      ])
  }

  @Test func `a view, its annotations and their features`() async throws {
    let places = pincluster.collection("places")
    let features = (0..<60).map {
      feature($0, 10 + Double($0 % 10) / 100, 20 + Double($0 / 10) / 100)
    }
    let stored = try await places.store(features + [feature(60, -90, 40)])
    #expect(stored.inserted == 61 && stored.ids?.count == 61)
    #expect(try await places.info().featureCount == 61)
    #expect(try await pincluster.collections().map(\.id) == ["places"])

    var request = world
    (request.hull, request.expansion, request.members) = (true, true, 3)
    request.countBy = "name"
    request.aggregate = [
      "most": .init(.max, of: "n"), "middle": .init(.median, of: "n"),
      "high": .init(.percentile(90), of: "n"), "kinds": .init(.distinct, of: "n"),
    ]
    request.histogram = .init(property: "n", bins: 4)
    request.properties = .names(["name", "list"])
    let view = try await places.view(request)
    #expect(view.featureCount == 61 && view.annotations.count == 2 && view.zoomLevel == 4)
    #expect(view.histogram?.counts.reduce(0, +) == 61 && view.changes == nil)
    let cluster = try #require(view.annotations.first { $0.isCluster == true })
    let pin = try #require(view.annotations.first { $0.isCluster == false })
    #expect(cluster.count == 60 && cluster.members?.count == 3 && cluster.hull?.corners.count == 4)
    #expect(cluster.aggregates?["most"] == 59 && cluster.counts?.count == 60)
    #expect(cluster.aggregates?["middle"] == 29.5 && cluster.aggregates?["high"] == 53)
    #expect(cluster.aggregates?["kinds"] == 60)
    #expect(cluster.bbox?.west == 10 && cluster.expansionZoom != nil)
    #expect(pin.feature?.id == 60 && pin.title == "no. 60")
    #expect(pin.feature?.properties == ["name": "no. 60", "list": [1, 2.5, nil, ["a": true]]])

    let detail = try await places.annotation(cluster.id, of: request)
    #expect(detail.expansionZoom == cluster.expansionZoom && detail.hull == cluster.hull)
    #expect(try await places.hull(of: cluster.id) == cluster.hull)
    let children = try await places.children(of: cluster.id)
    #expect(children.annotations.compactMap(\.count).reduce(0, +) == 60)
    #expect(children.gridRect == nil && children.zoomLevel == Double(cluster.expansionZoom ?? 0))
    let page = try await places.items(of: cluster.id, limit: 7, offset: 55)
    #expect(page.numberMatched == 60 && page.features.count == 5)

    var few = world
    (few.ids, few.zoomStep, few.scale) = ([1, 60], 1, .zoom(4.6))
    let some = try await places.view(few)
    #expect(some.featureCount == 2 && some.zoomLevel == 4)
    #expect(try await places.items(ids: [1, 60, 99]).numberMatched == 2)

    request.previous = view.annotations
    request.scale = .zoom(5)
    let later = try await places.view(request)
    #expect(later.changes?.kept.isEmpty == false && later.annotations.contains { $0.reuses != nil })

    let near = try await places.pins(world)
    #expect(near.pins.count == 61 && near.pins.allSatisfy { $0.contested == 1 })
    let located = try await places.locate(
      60, latitudinalMeters: 1000, longitudinalMeters: 1000, viewportWidth: 300,
      viewportHeight: 200, options: world)
    #expect(located.annotation?.feature?.id == 60 && located.standaloneZoom == 0)

    var distance = world
    (distance.method, distance.epsilon) = (.distance, 50)
    let linked = try await places.view(distance)
    let id = try #require(linked.annotations.first { $0.count == 60 }?.id)
    #expect(try await places.annotation(id, of: distance).count == 60)
    #expect(try await places.items(filter: "n >= 50", sortBy: "-n").features.first?.id == 60)
    try await places.drop()
    await #expect(throws: Problem.self) { try await places.info() }
  }

  @Test func `writes with conditions, and problems that say what is wrong`() async throws {
    let places = pincluster.collection("odd_names")
    try await places.create(title: "Odd", description: "names")
    #expect(try await places.info().title == "Odd")
    var odd = Feature(
      id: "a/b c%2F?ü", coordinate: Coordinate(latitude: 1.25, longitude: -2.5),
      properties: ["k": 1])
    odd.furtherOrdinates = [7]
    let first = try await places.put(odd, if: .isNew)
    #expect(first.feature == odd && !first.tag.isEmpty)
    let read = try await places.feature("a/b c%2F?ü")
    #expect(read.feature == odd && read.tag == first.tag && read.version == nil)
    do {
      _ = try await places.put(odd, if: .isNew)
      Issue.record("a feature that is there is not new")
    } catch let problem as Problem {
      #expect(problem.isFailedPrecondition && problem.title != nil)
    }
    let second = try await places.patch(
      "a/b c%2F?ü", properties: ["k": nil, "l": "x"], if: .matches(tag: first.tag))
    #expect(second.feature.properties == ["l": "x"] && second.tag != first.tag)
    await #expect(throws: Problem.self) {
      try await places.delete("a/b c%2F?ü", if: .matches(tag: first.tag))
    }
    try await places.delete("a/b c%2F?ü", if: .matches(tag: second.tag))
    do {
      _ = try await places.feature("a/b c%2F?ü")
      Issue.record("a feature that was removed is there")
    } catch let problem as Problem {
      #expect(problem.isNotFound)
    }
    var bad = world
    bad.cellSize = -4
    do {
      _ = try await places.view(bad)
      Issue.record("a cell has a size")
    } catch let problem as Problem {
      #expect(problem.status == 422 && problem.errors?.first?.pointer == "/cellSize")
    }
    let result = try await places.store(
      [odd, Feature(coordinate: Coordinate(latitude: 99, longitude: 0))], skippingBad: true)
    #expect(result.inserted == 1 && result.rejected == 1)
    let nowhere = Pincluster(try #require(URL(string: "http://127.0.0.1:1")))
    await #expect(throws: URLError.self) { try await nowhere.collections() }
  }

  @Test func `a read waits for the version of a write`() async throws {
    let patient = try ServerProcess.ready(arguments: ["--max-wait", "600"])
    let url = try #require(URL(string: "http://127.0.0.1:\(patient.port)"))
    let places = Pincluster(url).collection("waited")
    let created = try #require(try await places.create(title: "Waited"))
    #expect(try await places.from(version: created).info().version == created)
    let stored = try await places.store((0..<3).map { feature($0, Double($0), 1) })
    let put = try await places.put(feature(9, 9, 1))
    let patched = try await places.patch(9, properties: ["n": 10])
    let deleted = try #require(try await places.delete(0))
    let versions = [created, stored.version, put.version, patched.version, deleted].compactMap(
      \.self)
    #expect(versions.count == 5 && zip(versions, versions.dropFirst()).allSatisfy(<))
    let fresh = places.from(version: deleted)
    #expect(try await fresh.view(world).version == deleted)
    #expect(try await fresh.feature(9).feature.properties["n"] == 10)

    // One that nobody has written yet is waited for.
    async let later = places.from(version: deleted + 1).pins(world)
    for try await event in places.from(version: deleted).changes(world) {
      if case .view(let view) = event { #expect(view.version == deleted) }
      break
    }
    #expect(try await places.put(feature(5, 5, 5)).version == deleted + 1)
    #expect(try await later.pins.count == 4)
    do {
      _ = try await pincluster.collection("short").store([feature(1, 1, 1)])
      _ = try await pincluster.collection("short").from(version: 1 << 50).items()
      Issue.record("a version that never comes is there")
    } catch let problem as Problem {
      #expect(problem.status == 503 && problem.retryAfter == 1)
    }
    do {
      try await places.delete(0)
    } catch let problem as Problem {
      #expect(problem.isNotFound && problem.version == deleted + 1)
    }
    #expect(try await places.drop() ?? 0 > deleted + 1)
  }

  @Test func `a key is shown with every request`() async throws {
    let directory = try TemporaryDirectory()
    let keys = directory.file("keys")
    try Fixtures.write(Array("write:w\nread:r".utf8), path: keys)
    let guarded = try ServerProcess.ready(arguments: ["--api-key-file", keys])
    let url = try #require(URL(string: "http://127.0.0.1:\(guarded.port)"))
    func status(_ work: () async throws -> Void) async throws -> Int {
      do { try await work() } catch let problem as Problem { return problem.status }
      return 200
    }
    let (writer, reader) = (Pincluster(url, key: "w"), Pincluster(url, key: "r"))
    #expect(try await status { _ = try await Pincluster(url).collections() } == 401)
    let places = [feature(1, 2, 3)]
    #expect(try await status { _ = try await reader.collection("c").store(places) } == 403)
    #expect(try await writer.collection("c").store(places).inserted == 1)
    #expect(try await reader.collections().count == 1)
    for try await event in reader.collection("c").changes(world) {
      guard case .view(let view) = event else { continue }
      #expect(view.featureCount == 1)
      break
    }
  }

  @Test func `a token is asked for with every request, and a stream goes on with the next one`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let keys = directory.file("keys")
    try Fixtures.write(Array("write:first".utf8), path: keys)
    let guarded = try ServerProcess.ready(arguments: ["--api-key-file", keys])
    let url = try #require(URL(string: "http://127.0.0.1:\(guarded.port)"))
    let places = Pincluster(url) {
      try String(contentsOfFile: keys, encoding: .utf8).replacingOccurrences(of: "write:", with: "")
    }.collection("c")
    #expect(try await places.store([feature(1, 2, 3)]).inserted == 1)
    var views = 0
    for try await event in places.changes(world) {
      guard case .view(let view) = event else { continue }
      views += 1
      #expect(view.featureCount == views)
      if views == 2 { break }
      try Fixtures.write(Array("write:second".utf8), path: keys)
      guarded.process.signal(SIGHUP)
      while (try? await places.store([feature(2, 2, 3)])) == nil {
        try await Task.sleep(nanoseconds: 20_000_000)
      }
    }
    #expect(views == 2)
    // One that is refused is the end.
    let refused = Pincluster(url, key: "first").collection("c")
    await #expect(throws: Problem.self) { for try await _ in refused.changes(world) {} }
  }

  @Test func `a watched view is what a fresh one shows, also after a break`() async throws {
    let places = pincluster.collection("live")
    var generator = SeededGenerator(seed: 381)
    func some() -> [Feature] {
      (0..<40).map { _ in
        feature(
          Int64(generator.int(0...99)), generator.double(-30...30), generator.double(-30...30))
      }
    }
    _ = try await places.store(some())
    var (shown, seen) = (WatchedView(), 0)
    var ids: Set<String> = []
    var last = 0
    // The second time from the version that the first one has come to.
    for round in 0..<2 {
      let changes = places.changes(world, since: round == 0 ? nil : last)
      // After more the service would tell everything anew.
      if round == 1 { _ = try await places.store(Array(some().prefix(2))) }
      for try await event in changes {
        if round == 1, seen == 4, case .view = event { Issue.record("everything came again") }
        let change = shown.apply(event)
        for one in change.removed { #expect(ids.remove(one.id) != nil) }
        for one in change.added { #expect(ids.insert(one.id).inserted) }
        for one in change.changed { #expect(ids.contains(one.id)) }
        let fresh = try await places.view(world)
        if fresh.version == shown.version {
          #expect(Set(shown.annotations) == Set(fresh.annotations))
          #expect(shown.featureCount == fresh.featureCount)
        }
        seen += 1
        if seen == 4 || seen == 7 { break }
        _ = try await places.store(some())
      }
      last = shown.version
    }
    #expect(seen == 7 && !ids.isEmpty)
    // An end that the service tells.
    for try await event in places.changes(world) {
      if case .gone = event { continue }
      try await places.drop()
    }
    await #expect(throws: Problem.self) {
      for try await _ in places.changes(world) {}
    }
  }

  @Test func `a stream goes on where a proxy has no answer for a while`() async throws {
    let places = pincluster.collection("places")
    _ = try await places.store([feature(1, 1, 2)])
    let answers = [502, 504, 500, 408, 503].map {
      "HTTP/1.1 \($0) Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    }
    let relay = try FlakyRelay(to: server.port, first: answers)
    let other = Pincluster(try #require(URL(string: "http://127.0.0.1:\(relay.port)")))
    var request = world
    // A view has them, and no event.
    (request.histogram, request.debug) = (.init(property: "n", bins: 2), true)
    request.filter = .object(["op": "=", "args": [["property": "n"], 1]])
    for try await event in other.collection("places").changes(request) {
      guard case .view(let view) = event else { continue }
      #expect(view.featureCount == 1)
      break
    }
    #expect(try await places.view(request).featureCount == 1)
    let located = try await places.locate(
      1, latitudinalMeters: 9000, longitudinalMeters: 9000, viewportWidth: 300, viewportHeight: 300,
      options: request)
    let annotation = try #require(located.annotation)
    #expect(try await places.annotation(annotation.id, of: request).count == 1)
    await #expect(throws: EncodingError.self) { try await places.items(ids: ["a,b"]) }
    await #expect(throws: EncodingError.self) { try await places.items(properties: ["a,b"]) }
    // What no query can list, and what is too long for one, is watched all the same.
    request.keepApart = ["a,b"]
    let corners = (0...1500).map { number -> JSONValue in
      let angle = Double(number % 1500) / 750 * .pi
      return [.number(1 + cos(angle)), .number(2 + sin(angle))]
    }
    request.filter = .object([
      "op": "s_intersects",
      "args": [
        ["property": "geometry"], ["type": "Polygon", "coordinates": .array([.array(corners)])],
      ],
    ])
    for try await event in places.changes(request) {
      guard case .view(let view) = event else { continue }
      #expect(view.featureCount == 1)
      break
    }
  }

  @Test func `what never expires is read and written so`() async throws {
    let request = TestClient(port: server.port)
    #expect(try request.send("PUT", "/collections/mortal", json: #"{"ttl":1000}"#).status == 201)
    let mortal = pincluster.collection("mortal")
    var eternal = feature(1, 1, 2)
    eternal.neverExpires = true
    _ = try await mortal.store([eternal, feature(2, 1, 2)])
    let read = try await mortal.feature(1).feature
    #expect(read.neverExpires && read.expires == nil)
    _ = try await mortal.store([read])
    #expect(try await mortal.feature(1).feature == read)
    let other = try await mortal.feature(2).feature
    #expect(!other.neverExpires && other.expires != nil)
  }
}
