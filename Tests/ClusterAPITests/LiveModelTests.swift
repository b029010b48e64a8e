import ClusterCore
import Glibc
import HTTPServer
import TestSupport
import Testing
import Threading

/// Writers and readers beside each other, against a sequential model.
@Suite(.timeLimit(.minutes(10))) struct LiveModelTests {
  private static let world = "bbox=-180,-90,180,90"
  private static let writers = 3
  /// Features that are moved all the time, written by nobody else.
  private static let movers = (0..<12).map { "m\($0)" }

  /// What the tasks of a test share.
  private struct Shared: Sendable {
    let service: Service
    let history = Locked(LiveHistory(writers: LiveModelTests.writers))
    /// The latest version that an answered write was seen at.
    let reached = Locked(0)
    let counts = Locked<[Int: Int]>([:])
    let faults = Locked<[String]>([])
    let writing = Locked(LiveModelTests.writers)

    func report(_ fault: String) { faults.withLock { $0.append(fault) } }

    /// Notes the head of an answer about the whole collection; the same version is the same count.
    func note(_ answer: Answer, version: inout Int, isWhole: Bool = true) {
      guard answer.status == 200, let now = answer["version"]?.int,
        let count = answer["featureCount"]?.int
      else { return report("\(answer.status): \(answer.text.prefix(300))") }
      if now < version { report("version \(now) after \(version)") }
      version = now
      let same = counts.withLock { counts in
        let known = counts[now] ?? count
        if isWhole { counts[now] = known }
        return known == count
      }
      if isWhole, !same { report("two counts at version \(now)") }
    }
  }

  @Test func `readers see what a sequence of the writes explains, and every answered one`()
    async throws
  {
    let seed: UInt64 = 1
    let shared = Shared(service: try Service())
    let collection = shared.service
    let movers = Self.movers.map { TwinFeature(id: FeatureID(known: $0), coordinate: .zero) }
    await collection.store(movers.map { Self.moved($0, to: .zero) } + [TwinFeature(100_000, 0, 0)])
    let allowed = LiveAbilities(
      item: await collection.send(.options, "/collections/c/items/1").allow,
      items: await collection.send(.options, "/collections/c/items").allow)
    await withTaskGroup { group in
      for number in 0..<Self.writers {
        let writer = LiveWriter(
          number, collection: "c", abilities: allowed, seed: seed, span: 8)
        group.addTask { await Self.write(writer, shared) }
      }
      group.addTask { await Self.move(seed, shared) }
      group.addTask { await Self.expire(seed, shared) }
      for number in 0..<2 {
        group.addTask { await Self.read(seed &+ UInt64(number) &* 77, shared) }
      }
    }
    #expect(shared.faults.value.prefix(5) == [])
    #expect(shared.history.value.faults.prefix(5) == [])
    #expect(shared.history.value.sightCount > 2)
    #expect(shared.service.reports.value == [])
  }

  // MARK: Writing

  private static func write(_ writer: LiveWriter, _ shared: Shared) async {
    var writer = writer
    let number = writer.number
    for step in 0..<40 {
      let write = writer.next()
      shared.history.withLock { $0.begin(number) }
      let answer = await shared.service.send(
        HTTPMethod(named: write.method), write.path, write.body, type: write.type)
      if let fault = writer.take(status: answer.status, body: answer.json) {
        shared.report(fault)
        break
      }
      let features = writer.features
      shared.history.withLock { $0.end(number, with: features) }
      let info = await shared.service.get("/collections/c")
      let version = info["version"]?.int ?? 0
      shared.reached.withLock { $0 = max($0, version) }
      guard step % 5 == 0 else { continue }
      let path = "/collections/c/items?filter=w%3D\(number)&limit=1000"
      let own = Self.features(await shared.service.get(path).json)
      if LiveWriter.byWriter(own)[number] ?? [:] != features {
        shared.report("writer \(number) finds \(own.count) features, not its \(features.count)")
      }
    }
    shared.writing.withLock { $0 -= 1 }
  }

  private static func features(_ page: TestJSON) -> [TwinFeature] {
    (try? Fixtures.features(of: page, from: "items")) ?? []
  }

  private static func moved(_ feature: TwinFeature, to coordinate: Coordinate) -> TwinFeature {
    TwinFeature(id: feature.id, coordinate: coordinate, properties: "{\"w\":9,\"kind\":\"mover\"}")
  }

  /// Moves the movers, one or four at a time, until the writers are done.
  private static func move(_ seed: UInt64, _ shared: Shared) async {
    var generator = SeededGenerator(seed: seed &+ 1000)
    while shared.writing.value > 0 {
      let first = generator.int(0...8)
      let features = (first..<first + (generator.chance(0.5) ? 1 : 4)).map { number in
        let coordinate = Coordinate(
          latitude: generator.double(-80...80), longitude: generator.double(-180...180))
        return TwinFeature(
          id: FeatureID(known: movers[number]), coordinate: coordinate,
          properties: "{\"w\":9,\"kind\":\"mover\"}")
      }
      let answer =
        features.count == 1
        ? await shared.service.send(
          .put, "/collections/c/items/\(features[0].id)", features[0].geoJSON)
        : await shared.service.post("/collections/c/items", features.featureCollection)
      if answer.status != 200 { shared.report("a move: \(answer.text)") }
    }
  }

  /// Stores features that expire soon, where the service knows of that, and expects them to be there
  /// until then and no longer.
  private static func expire(_ seed: UInt64, _ shared: Shared) async {
    var generator = SeededGenerator(seed: seed &+ 2000)
    func store(_ name: String, until end: Int64) async -> Answer {
      await shared.service.send(
        .put, "/collections/c/items/\(name)",
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[3,4]},"
          + "\"properties\":{\"w\":8},\"expires\":\"\(timestamp(end))\"}")
    }
    guard await store("e", until: now + 1_000_000).json["expires"] != nil else { return }
    while shared.writing.value > 0 {
      let name = "e\(generator.int(0...6))"
      let end = now + Int64(generator.int(5...120))
      let answer = await store(name, until: end)
      guard answer.status / 100 == 2 else { return shared.report("expires: \(answer.text)") }
      for _ in 0..<200 {
        let before = now
        let read = await shared.service.get("/collections/c/items/\(name)")
        // A store that several instances share deletes what has expired a moment later, for all of them.
        if read.status == 200, before >= end, Service.postgres == nil {
          shared.report("\(name) is there after its end")
        }
        if read.status == 404, now < end { shared.report("\(name) is gone before its end") }
        if read.status == 404 || shared.writing.value == 0 { break }
        try? await Task.sleep(for: .milliseconds(3))
      }
    }
  }

  /// Milliseconds since 1970, rounded down.
  private static var now: Int64 { SystemTime.now / 1000 }

  /// A time as RFC 3339 writes it.
  private static func timestamp(_ milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S.", &parts)
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    return text.prefix { $0 != 0 }.map { String(UnicodeScalar(UInt8(bitPattern: $0))) }.joined()
      + fraction + "Z"
  }

  // MARK: Reading

  /// Looks at the collection in every way until the writers are done, and once after that.
  private static func read(_ seed: UInt64, _ shared: Shared) async {
    var generator = SeededGenerator(seed: seed)
    var version = 0
    for round in 0..<1_000_000 {
      let isLast = shared.writing.value == 0
      let reached = shared.reached.value
      let answered = shared.history.value.answered
      let kind = isLast ? 0 : generator.int(0...4)
      let zoom = generator.int(0...3)
      let clusters = "/collections/c/clusters?\(world)&zoom=\(zoom)&properties=none"
      switch kind {
      case 0:
        let answer = await shared.service.get("/collections/c/pins?\(world)&limit=10000")
        shared.note(answer, version: &version)
        let features = pins(answer)
        if features.count != answer["featureCount"]?.int { shared.report("pins are missing") }
        let now = version
        shared.history.withLock { $0.see(features, version: now, since: answered) }
        checkMovers(features.filter { $0.property("w")?.int == 9 }.map(\.id.description), shared)
      case 1, 2:
        let method = kind == 2 ? "&method=distance" : "&clusterer=nearCenter"
        let answer = await shared.service.get(clusters + method)
        shared.note(answer, version: &version)
        let sum = answer.annotations.reduce(0) { $0 + $1.count }
        if sum != answer["featureCount"]?.int { shared.report("\(sum) of \(answer.text)") }
      case 3:
        let answer = await shared.service.get(clusters + "&filter=kind%3D'mover'")
        shared.note(answer, version: &version, isWhole: false)
        let sum = answer.annotations.reduce(0) { $0 + $1.count }
        if sum != movers.count { shared.report("\(sum) movers that pass the filter") }
      default:
        let answer = await shared.service.get(clusters + "&groupBy=kind")
        shared.note(answer, version: &version)
        let group = answer.annotations.filter { $0["group"] == "mover" }
        let sum = group.reduce(0) { $0 + $1.count }
        if sum != movers.count { shared.report("\(sum) movers in their group") }
      }
      if version < reached { shared.report("version \(version), not \(reached), round \(round)") }
      if isLast { return }
    }
  }

  private static func checkMovers(_ found: [String], _ shared: Shared) {
    if found.sorted() != movers.sorted() { shared.report("the movers are \(found)") }
  }

  private static func pins(_ answer: Answer) -> [TwinFeature] {
    (answer["pins"]?.array ?? []).compactMap { pin in
      guard let id = pin["id"], let latitude = pin["coordinate"]?["latitude"]?.double,
        let longitude = pin["coordinate"]?["longitude"]?.double
      else { return nil }
      return TwinFeature(
        id: id.string.map { FeatureID(known: $0) } ?? FeatureID(known: id.int ?? 0),
        coordinate: Coordinate(latitude: latitude, longitude: longitude),
        properties: pin["feature"]?["properties"]?.text)
    }
  }
}

extension Coordinate {
  fileprivate static let zero = Coordinate(latitude: 0, longitude: 0)
}

extension Answer {
  fileprivate var allow: String { response.header("Allow") ?? "" }
}

extension HTTPMethod {
  /// The method of a name.
  fileprivate init(named name: String) {
    let all: [HTTPMethod] = [.get, .post, .put, .delete, .patch]
    self = all.first { $0.description == name } ?? .other
  }
}
