import FeatureStore
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import Collections

/// Features that expire, by a clock that goes when it is told to.
@Suite(.timeLimit(.minutes(10))) struct ExpiryTests {
  private let path = "/collections/c"

  /// 2023-11-14T22:13:20Z; no test goes on for forty seconds.
  private static let start: Int64 = 1_700_000_000_000

  private static func text(_ time: Int64) -> String {
    let (seconds, fraction) = ((time - start) / 1000 + 20, (time - start) % 1000)
    let digits = String(1000 + fraction).dropFirst()
    return "2023-11-14T22:13:\(seconds)\(fraction == 0 ? "" : ".\(digits)")Z"
  }

  private static func feature(_ id: Int, _ longitude: Double, expires: String?) -> String {
    let member = expires.map { ",\"expires\":\($0)" } ?? ""
    return TwinFeature(id, longitude, 1).geoJSON.dropLast() + member + "}"
  }

  private static func service(
    _ clock: Locked<Int64>, in directory: TemporaryDirectory
  ) throws -> Service {
    try Service(of: directory, clock: { clock.value })
  }

  @Test func `expires is answered wherever the feature is`() async throws {
    let clock = Locked(ExpiryTests.start)
    let service = try ExpiryTests.service(clock, in: try TemporaryDirectory())
    let item = "\(path)/items/7"
    let sent = ExpiryTests.feature(7, 2, expires: "\"2023-11-14T23:13:21.5000+01:00\"")
    let put = await service.send(.put, item, sent, type: "application/geo+json")
    put.expect(201)
    let expected = "2023-11-14T22:13:21.500Z"
    #expect(put["expires"]?.string == expected)
    #expect(await service.get(item)["expires"]?.string == expected)
    let list = await service.get("\(path)/items")
    #expect(list["features"]?[0]?["expires"]?.string == expected)
    let pin = await service.get("\(path)/clusters?bbox=0,0,9,9&zoom=3&f=geojson")
    #expect(!pin.text.contains("expires") && pin.text.contains("\"id\":7"))
    for id in (pin["features"]?.array ?? []).compactMap({
      $0["properties"]?["annotation_id"]?.string
    }) {
      #expect(await service.get("\(path)/clusters/\(id)/items").text.contains(expected))
    }
    // Null and absent are the same where there is no time to live.
    for member in ["null", nil] {
      let body = ExpiryTests.feature(7, 2, expires: member)
      let answer = await service.send(.put, item, body, type: "application/geo+json")
      #expect(answer.status == 200 && answer["expires"] == nil)
    }
    for bad in ["5", "\"soon\"", "\"2023-11-14T22:13:20\"", "\"2023-02-30T00:00:00Z\""] {
      let body = ExpiryTests.feature(7, 2, expires: bad)
      (await service.send(.put, item, body, type: "application/geo+json")).expectProblem(422)
      (await service.post("\(path)/items", body)).expectProblem(422)
    }
    service.writer.close()
  }

  @Test func `nobody sees a feature from the instant on`() async throws {
    let clock = Locked(ExpiryTests.start)
    let service = try ExpiryTests.service(clock, in: try TemporaryDirectory())
    let end = ExpiryTests.start + 1000
    for (id, expires) in [(1, "null"), (2, "\"\(ExpiryTests.text(end))\"")] {
      let body = ExpiryTests.feature(id, 2, expires: expires)
      (await service.post("\(path)/items", body)).expect(201)
    }
    let targets = [
      path, "/collections", "\(path)/items", "\(path)/pins?bbox=0,0,9,9",
      "\(path)/clusters?bbox=0,0,9,9&zoom=3",
    ]
    var tags: [String: String] = [:]
    clock.withLock { $0 = end - 1 }
    for target in targets {
      let answer = await service.get(target)
      tags[target] = answer.response.etag
      let count =
        answer["featureCount"] ?? answer["numberMatched"]
        ?? answer["collections"]?[0]?["featureCount"]
      #expect(count?.int == 2, "\(target)")
    }
    (await service.get("\(path)/items/2")).expect(200)
    clock.withLock { $0 = end }
    (await service.get("\(path)/items/2")).expectProblem(404)
    (await service.get("\(path)/clusters/n2")).expectProblem(404)
    for target in targets {
      let condition = tags[target].map { [(name: "If-None-Match", value: "\"\($0)\"")] } ?? []
      let answer = await service.get(target, headers: condition)
      #expect(answer.status == 200, "\(target)")
      let count =
        answer["featureCount"] ?? answer["numberMatched"]
        ?? answer["collections"]?[0]?["featureCount"]
      #expect(count?.int == 1, "\(target)")
    }
    (await service.send(.delete, "\(path)/items/2")).expectProblem(404)
    let again = ExpiryTests.feature(2, 2, expires: nil)
    (await service.send(.put, "\(path)/items/2", again)).expect(201)
    service.writer.close()
  }

  @Test func `a feature that never expires says so where others do`() async throws {
    let service = try Service()
    let item = "\(path)/items/7"
    func send(_ text: String, _ headers: [(name: String, value: String)] = []) async -> Answer {
      await service.send(.put, item, text, headers: headers)
    }
    (await service.send(.put, path, #"{"ttl":1000}"#, type: "application/json")).expect(201)
    let put = await send(ExpiryTests.feature(7, 2, expires: "null"))
    #expect(put.text.contains(#""expires":null"#), "\(put.text)")
    let got = await service.get(item)
    #expect(got.text == put.text)
    let tag = try #require(
      put.response.prepared(for: HTTPRequest(method: .put, path: item)).header("ETag"))
    #expect(got.response.prepared(for: HTTPRequest(path: item)).header("ETag") == tag)
    #expect(await service.get("\(path)/items")["features"]?[0]?["expires"] == .null)
    #expect(await service.get("\(item)?properties=none")["expires"] == .null)
    // What was read can be written back, or changed in a part, under the conditions that it meets.
    #expect(await send(got.text, [("If-Match", tag)]).text == put.text)
    let patch = await service.send(
      .patch, item, #"{"properties":{"a":1}}"#, type: "application/merge-patch+json",
      headers: [("If-Match", tag)])
    #expect(patch.status == 200 && patch["expires"] == .null, "\(patch.text)")
    #expect(await service.get(item).text == patch.text)
    (await send(got.text, [("If-Match", tag)])).expectProblem(412)
    let mortal = await send(ExpiryTests.feature(7, 2, expires: nil))
    #expect(mortal["expires"]?.string != nil)
    _ = await send(ExpiryTests.feature(7, 2, expires: "null"))
    (await service.send(.put, path, #"{"ttl":null}"#, type: "application/json")).expect(200)
    #expect(await service.get(item)["expires"] == nil)
    #expect(await send(got.text)["expires"] == nil)
  }

  @Test(arguments: [false, true], [0, 7, 600])
  func `many features that expire at one time are left out beforehand`(
    isWritten: Bool, late: Int64
  ) async throws {
    let clock = Locked(ExpiryTests.start)
    let service = try ExpiryTests.service(clock, in: try TemporaryDirectory())
    let end = ExpiryTests.start + 10_000
    // Most expire at one time, some soon after it, some never; in more than a few blocks.
    var generator = SeededGenerator(seed: 11)
    let times = (0..<20_000).map { _ in generator.pick([nil, end, end, end, end + 5]) }
    let lines = times.enumerated().map { id, time in
      ExpiryTests.feature(
        id + 1, Double(id % 170), expires: time.map { "\"\(ExpiryTests.text($0))\"" } ?? "null")
    }
    (await service.post(
      "\(path)/items", lines.joined(separator: "\n"), type: "application/x-ndjson")).expect(
        200, 201)
    clock.withLock { $0 = end - 200 }
    // As the writer's timer does.
    service.catalog.leaveOutExpired()
    #expect(service.catalog["c"]?.index.count == times.count)
    let before = try #require(service.catalog["c"])
    if isWritten {
      // What was made isn't of what is shown any more.
      (await service.send(.delete, "\(path)/items/1")).expect(204)
    }
    clock.withLock { $0 = end + late }
    let alive = times.enumerated().count { id, time in
      (time ?? .max) > end + late && !(isWritten && id == 0)
    }
    #expect(service.catalog["c"]?.index.count == alive)
    let view = await service.get("\(path)/clusters?bbox=-180,-85,180,85&zoom=1")
    #expect(view["featureCount"]?.int == alive)
    #expect((view["version"]?.int ?? 0) > Int(before.info.version))
    let sums = view["annotations"]?.array?.reduce(0) { $0 + ($1["count"]?.int ?? 0) }
    #expect(sums == alive)
    clock.withLock { $0 = end + 700 }
    service.catalog.leaveOutExpired()
    let rest = times.enumerated().count { $1 == nil && !(isWritten && $0 == 0) }
    #expect(service.catalog["c"]?.index.count == rest)
    service.writer.close()
  }

  @Test func `writes of one transaction see what has expired in it`() async throws {
    let clock = Locked(ExpiryTests.start)
    let service = try ExpiryTests.service(clock, in: try TemporaryDirectory())
    (await service.send(.put, path)).expect(201)
    let held = HeldWriter(service)
    let item = "\(path)/items/7"
    let past = ExpiryTests.feature(7, 2, expires: "\"\(ExpiryTests.text(ExpiryTests.start))\"")
    let never = ExpiryTests.feature(7, 2, expires: nil)
    let absent = [(name: "If-None-Match", value: "*")]
    let writes: [(HTTPMethod, String?, [(name: String, value: String)], Int)] = [
      (.put, past, absent, 201), (.put, past, absent, 201), (.patch, "{}", [], 404),
      (.delete, nil, [], 404), (.put, past, [(name: "If-Match", value: "*")], 412),
      (.put, never, absent, 201), (.put, never, absent, 412), (.patch, "{}", [], 200),
      (.delete, nil, [], 204),
    ]
    let statuses = Locked<[Int]>([])
    await withCheckedContinuation { continuation in
      for (method, body, headers, _) in writes {
        let type = body.map { _ in "application/geo+json" }
        service.begin(method, item, body, type: type, headers: headers) { answer in
          let count = statuses.withLock { statuses in
            statuses.append(answer.status)
            return statuses.count
          }
          if count == writes.count { continuation.resume() }
        }
      }
      held.release()
    }
    #expect(statuses.value == writes.map(\.3))
    service.writer.close()
  }

  @Test func `a time to live is part of the collection`() async throws {
    let clock = Locked(ExpiryTests.start)
    let service = try ExpiryTests.service(clock, in: try TemporaryDirectory())
    let created = await service.send(.put, path, #"{"ttl": 1.5}"#, type: "application/json")
    #expect(created.status == 201 && created["ttl"]?.text == "1.5")
    for (body, ttl) in [
      ("{}", "1.5"), (#"{"title":"T"}"#, "1.5"), ("", "1.5"), (#"{"ttl":20}"#, "20"),
      (#"{"ttl":315576000}"#, "315576000"), (#"{"ttl":0.001}"#, "0.001"), (#"{"ttl":null}"#, nil),
      (#"{"ttl":2}"#, "2"),
    ] as [(String, String?)] {
      (await service.send(.put, path, body, type: "application/json")).expect(200)
      #expect(await service.get(path)["ttl"]?.text == ttl, "\(body)")
    }
    for (body, status) in [
      (#"{"ttl":"5"}"#, 400), (#"{"ttl":true}"#, 400), (#"{"ttl":0}"#, 422), (#"{"ttl":-1}"#, 422),
      (#"{"ttl":315576001}"#, 422), (#"{"ttl":0.0001}"#, 422), (#"{"ttl":1e300}"#, 422),
    ] {
      (await service.send(.put, path, body)).expectProblem(status, at: "/ttl")
    }
    let csv = await service.post(
      "\(path)/items", "id,lon,lat,expires\n1,2,3,2020-01-01T00:00:00Z\n", type: "text/csv")
    csv.expect(200)
    let feature = await service.get("\(path)/items/1")
    #expect(feature["expires"]?.string == ExpiryTests.text(ExpiryTests.start + 2000))
    #expect(feature["properties"]?["expires"]?.string == "2020-01-01T00:00:00Z")
    service.writer.close()
  }

  @Test(arguments: Seeds.each(1...6))
  func `random writes while the clock goes on, against a model`(seed: UInt64) async throws {
    let clock = Locked(ExpiryTests.start)
    let directory = try TemporaryDirectory()
    var service = try ExpiryTests.service(clock, in: directory)
    var model = Model(clock: clock, generator: SeededGenerator(seed: seed))
    (await service.send(.put, path)).expect(201)
    for step in 0..<150 {
      switch model.generator.int(0...11) {
      case 10, 11: try await model.patch(in: service, path)
      case 0...2: try await model.put(to: service, path)
      case 3, 4: try await model.post(to: service, path)
      case 5: try await model.delete(from: service, path)
      case 6: try await model.setTTL(of: service, path)
      case 7, 8: clock.withLock { [step = Int64(model.generator.int(0...60))] in $0 += step }
      default:
        service.writer.close()
        try model.checkDisk(directory)
        service = try ExpiryTests.service(clock, in: directory)
      }
      try await model.check(service, path, "seed \(seed), step \(step)")
    }
    service.writer.close()
    try model.checkDisk(directory)
  }

  /// What the collection should hold.
  private struct Model {
    let clock: Locked<Int64>
    var generator: SeededGenerator
    var features: [Int: (longitude: Double, expires: Int64?)] = [:]
    var ttl: Int64?
    /// The items under each version.
    var seen: [Int: String] = [:]
    var lastVersion = 0

    var alive: [Int: (longitude: Double, expires: Int64?)] {
      features.filter { $0.value.expires.map { $0 > clock.value } ?? true }
    }

    /// A random feature: its text, and what it is once it is stored.
    mutating func random() -> (id: Int, text: String, stored: (Double, Int64?)) {
      let (id, longitude) = (generator.int(1...9), Double(generator.int(0...5)))
      let now = clock.value
      let expires = max(ExpiryTests.start, now + Int64(generator.int(-20...150)))
      let (member, stored): (String?, Int64?) =
        switch generator.int(0...3) {
        case 0: (nil, ttl.map { now + $0 })
        case 1: ("null", nil)
        default: ("\"\(ExpiryTests.text(expires))\"", expires)
        }
      return (id, ExpiryTests.feature(id, longitude, expires: member), (longitude, stored))
    }

    mutating func put(to service: Service, _ path: String) async throws {
      let (id, text, stored) = random()
      let wasThere = alive[id] != nil
      let answer = await service.send(
        .put, "\(path)/items/\(id)", text, type: "application/geo+json")
      #expect(answer.status == (wasThere ? 200 : 201), "\(answer.text)")
      #expect(answer["expires"]?.string == stored.1.map(ExpiryTests.text))
      features[id] = stored
    }

    mutating func post(to service: Service, _ path: String) async throws {
      let all = (0..<generator.int(0...6)).map { _ in random() }
      let before = Set(alive.keys)
      let ids = Set(all.map(\.id))
      let answer = await service.post(
        "\(path)/items", all.map(\.text).joined(separator: "\n"), type: "application/x-ndjson")
      #expect(answer["inserted"]?.int == ids.subtracting(before).count, "\(answer.text)")
      #expect(answer["updated"]?.int == all.count - ids.subtracting(before).count)
      for (id, _, stored) in all { features[id] = stored }
    }

    mutating func patch(in service: Service, _ path: String) async throws {
      let (id, now) = (generator.int(1...9), clock.value)
      let old = alive[id]
      let expires = max(ExpiryTests.start, now + Int64(generator.int(-20...150)))
      // A patch that doesn't speak of it renews what the time to live gave, but never brings it
      // forward.
      let (patch, stored): (String, Int64?) =
        switch generator.int(0...2) {
        case 0: (#"{"properties":{"p":1}}"#, old?.expires.map { max($0, now + (ttl ?? 0)) })
        case 1: (#"{"expires":null}"#, nil)
        default: ("{\"expires\":\"\(ExpiryTests.text(expires))\"}", expires)
        }
      let answer = await service.send(
        .patch, "\(path)/items/\(id)", patch, type: "application/merge-patch+json")
      #expect(answer.status == (old == nil ? 404 : 200), "\(answer.text)")
      guard let old else { return }
      #expect(answer["expires"]?.string == stored.map(ExpiryTests.text), "\(patch)")
      features[id] = (old.longitude, stored)
    }

    mutating func delete(from service: Service, _ path: String) async throws {
      let id = generator.int(1...9)
      let answer = await service.send(.delete, "\(path)/items/\(id)")
      #expect(answer.status == (alive[id] == nil ? 404 : 204))
      if alive[id] != nil { features[id] = nil }
    }

    mutating func setTTL(of service: Service, _ path: String) async throws {
      ttl = generator.chance(0.5) ? Int64(generator.int(1...100)) : nil
      let text = ttl.map { "\(Double($0) / 1000)" } ?? "null"
      (await service.send(.put, path, "{\"ttl\":\(text)}")).expect(200)
    }

    mutating func check(_ service: Service, _ path: String, _ comment: String) async throws {
      let alive = alive
      let list = await service.get("\(path)/items?limit=100")
      var found: [Int: String] = [:]
      for feature in list["features"]?.array ?? [] {
        found[feature["id"]?.int ?? 0] =
          (feature["geometry"]?["coordinates"]?[0]?.text ?? "")
          + (feature["expires"]?.string ?? "")
      }
      let expected = alive.mapValues {
        TestJSON($0.longitude).text + ($0.expires.map(ExpiryTests.text) ?? "")
      }
      #expect(found == expected, "\(comment)")
      #expect(list["numberMatched"]?.int == alive.count, "\(comment)")
      let info = await service.get(path)
      #expect(info["featureCount"]?.int == alive.count, "\(comment)")
      #expect(info["extent"]?["spatial"]?["bbox"]?.isNull == alive.isEmpty, "\(comment)")
      let view = await service.get("\(path)/clusters?bbox=-10,-10,10,10&zoom=2")
      #expect(view["featureCount"]?.int == alive.count, "\(comment)")
      let id = generator.int(1...9)
      let one = await service.get("\(path)/items/\(id)")
      #expect(one.status == (alive[id] == nil ? 404 : 200), "\(comment)")
      // A version stands for one content, and versions only grow.
      let version = try #require(view["version"]?.int)
      #expect(info["version"]?.int == version && version >= lastVersion, "\(comment)")
      lastVersion = version
      let items = list["features"]?.text ?? ""
      #expect(seen.updateValue(items, forKey: version) ?? items == items, "\(comment)")
    }

    /// After the service was closed.
    func checkDisk(_ directory: TemporaryDirectory) throws {
      let store = try SQLiteStore(
        directory: directory.path, clock: WallClock { [clock] in clock.value })
      #expect(try store.collections().first?.featureCount == alive.count)
    }
  }
}
