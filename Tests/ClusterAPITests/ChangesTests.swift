import Glibc
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// What can be watched, and how that is answered.
@Suite(.timeLimit(.minutes(10))) struct ChangesTests {
  private static let view = "/collections/c/changes?bbox=0,0,9,9&zoom=4"

  @Test(arguments: [
    ("", 400, "bbox"), ("bbox=0,0,9,9", 400, "zoom"), ("&previous=[]", 400, "previous"),
    ("&method=distance", 400, "method"), ("&method=collision&decluster=true", 400, "method"),
    ("&method=grid&epsilon=x", 400, "epsilon"), ("&f=geojson", 400, "f"),
    ("&since=x", 400, "since"), ("&since=1.5", 400, "since"), ("&since=1&since=1", 400, "since"),
    ("&cellSize=4000", 422, "cellSize"), ("&limit=0", 422, "limit"),
    ("&filter=name%20%3D", 400, "filter"), ("&limit=1", 422, "limit"),
    ("&zoom=3", 400, "zoom"), ("&nothing=1", 400, "nothing"),
  ])
  func `what can't be watched is refused`(fields: String, status: Int, pointer: String)
    async throws
  {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 8, 8)])
    let target =
      fields.hasPrefix("&") ? Self.view + fields : "/collections/c/changes?\(fields)"
    for method in [HTTPMethod.get, .head] {
      (await service.send(method, target)).expectProblem(status, at: pointer)
      // Whoever was refused is counted no longer, not even right after the answer.
      #expect(await watchers(of: service) == "0")
    }
  }

  @Test func `a HEAD request and a missing collection leave no watcher`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for _ in 0..<50 {
      #expect(await service.send(.head, Self.view).status == 200)
      #expect(await watchers(of: service) == "0")
    }
    // The collection may vanish before the request reaches the thread that answers it.
    let answers = Locked<[Int]>([])
    await withTaskGroup { group in
      group.addTask { _ = await service.send(.delete, "/collections/c") }
      for number in 0..<20 {
        group.addTask {
          let answer = await service.get("\(Self.view)&minPoints=\(number)")
          answers.withLock { $0.append(answer.status) }
        }
      }
    }
    #expect(Set(answers.value).isSubset(of: [200, 404]))
    #expect(try await hasNoWatchers(service))
  }

  /// The number of watchers that the metrics tell.
  private func watchers(of service: Service) async -> Substring? {
    let lines = await service.get("/metrics").text.split(separator: "\n")
    return lines.first { $0.hasPrefix("pincluster_watchers ") }?.split(separator: " ").last
  }

  /// Waits until the watchers of a dropped collection are gone, which is some time after the answer to the
  /// one who dropped it; false if that takes 10 seconds.
  private func hasNoWatchers(_ service: Service) async throws -> Bool {
    for _ in 0..<1000 {
      if await watchers(of: service) == "0" { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func `the first event is the view, or what is missing of it`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    (await service.get("/collections/none/changes?bbox=0,0,9,9&zoom=4")).expectProblem(404)
    let json = await service.send(.get, Self.view, headers: [("Accept", "application/json")])
    json.expectProblem(406)

    let accept = (name: "Accept", value: "text/event-stream")
    func screen(_ answer: Answer, from old: EventScreen = EventScreen()) -> EventScreen {
      var screen = old
      #expect(answer.status == 200 && answer.type == "text/event-stream", "\(answer.text)")
      #expect(answer.response.stream != nil && answer.text.hasPrefix("retry: 2000\n\n"))
      #expect(screen.read(answer.response.body) == [])
      return screen
    }
    let first = await service.send(.get, Self.view, headers: [accept])
    #expect(first.response.header("Cache-Control") == "no-store")
    let shown = screen(first)
    #expect(shown.names == ["view"] && shown.annotations.count == 1)
    let version = try #require(shown.lastID)

    // Nothing has changed; then something has, here and elsewhere.
    let none = screen(await service.get("\(Self.view)&since=\(version)"), from: shown)
    #expect(none.names == ["view"] && none.lastID == version)
    await service.store([TwinFeature(2, 8, 8), TwinFeature(3, -100, 0)])
    let some = screen(await service.get("\(Self.view)&since=\(version)"), from: shown)
    #expect(some.names == ["view", "cells"] && some.annotations.count == 2)
    #expect(some.lastID == version + 1 && some.featureCount == 2)
    // A browser's own memory counts more than the address; what nobody knows is all new.
    for (last, names) in [("\(version)", "cells"), (" \(version + 1) ", ""), ("x", "cells")] {
      let answer = await service.send(
        .get, "\(Self.view)&since=\(version)", headers: [accept, ("Last-Event-ID", last)])
      #expect(screen(answer).names == (names.isEmpty ? [] : [names]), "\(last)")
    }
    for since in [0, -5, version - 1, version + 2, 1 << 50] {
      let answer = screen(await service.get("\(Self.view)&since=\(since)"))
      #expect(answer.names == ["view"] && answer.annotations.count == 2, "\(since)")
    }
  }

  @Test func `a body says the same as a query, and may be longer`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 8, 8)])
    let path = "/collections/c/changes"
    func post(_ body: String, query: String = "", type: String = "application/json") async -> Answer
    {
      await service.send(.post, path + query, body, type: type)
    }
    let view = #""bbox":[0,0,9,9],"zoom":4,"fields":["count"]"#
    let asked = await service.get("\(path)?bbox=0,0,9,9&zoom=4&fields=count")
    let posted = await post("{\(view)}")
    #expect(posted.status == 200 && posted.type == "text/event-stream")
    #expect(posted.text == asked.text)
    var screen = EventScreen()
    #expect(screen.read(posted.response.body) == [] && screen.featureCount == 2)
    let since = "?since=\(try #require(screen.lastID))"
    let again = await post("{\(view)}", query: since)
    #expect(again.status == 200 && !again.text.contains("event:"))
    // Longer than any head, with a list that a query couldn't have.
    let rest = String(repeating: "x", count: 80)
    let ids = (0..<700).map { "\"\($0),\(rest)\"" } + ["2"]
    let filter =
      #"{"op":"in","args":[{"property":"id"},["# + ids.joined(separator: ",") + "]]}"
    let long = await post("{\(view),\"filter\":\(filter)}")
    var found = EventScreen()
    #expect(long.status == 200, "\(long.text)")
    #expect(found.read(long.response.body) == [] && found.featureCount == 1)

    (await post("{\(view),\"since\":1}")).expectProblem(400, at: "/since")
    (await post("{\(view),\"tiles\":true}")).expectProblem(400, at: "/tiles")
    (await post("{\(view),\"method\":\"distance\"}")).expectProblem(400, at: "/method")
    (await post("{\(view)}", query: "?bbox=0,0,1,1")).expectProblem(400, at: "bbox")
    (await post("{\(view)}", type: "text/plain")).expectProblem(415)
  }

  @Test func `clients that show many different versions are all brought up to date`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    func lastID(_ query: String) async -> Int64? {
      var screen = EventScreen()
      #expect(screen.read(await service.get("\(Self.view)\(query)").response.body) == [])
      return screen.lastID.flatMap { Int64($0) }
    }
    let version = try #require(await lastID(""))
    for _ in 0..<60 { await service.store([TwinFeature(1, 2, 3)]) }
    await withTaskGroup(of: Void.self) { group in
      for since in version..<(version + 60) {
        group.addTask {
          #expect(await lastID("&since=\(since)") == version + 60, "\(since)")
        }
      }
    }
  }

  @Test func `no more than a thousand watch at a time`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let limits = WatchLimits()
    let share = UInt64(limits.placesOfAddress)
    for number in 0..<UInt64(limits.places) {
      let view = "\(Self.view)&minPoints=\(number)"
      #expect(await service.send(.get, view, client: number / share).status == 200)
      guard number + 1 == share else { continue }
      let refused = await service.get(Self.view)
      refused.expectProblem(429)
      #expect(refused.response.header("Retry-After") != nil)
    }
    let refused = await service.send(.get, Self.view, client: 99)
    refused.expectProblem(503)
    #expect(refused.response.header("Retry-After") != nil)
    let counts = await service.get("/metrics").text
    #expect(counts.contains("\npincluster_refused_total{reason=\"watchers\"} 1\n"))
    #expect(counts.contains("\npincluster_refused_total{reason=\"address_share\"} 1\n"))
    #expect(await watchers(of: service) == "1000")
    // All of them go with the collection.
    #expect(await service.send(.delete, "/collections/c").status == 204)
    #expect(try await hasNoWatchers(service))
    await service.store([TwinFeature(1, 2, 3)])
    #expect(await service.get(Self.view).status == 200)
    #expect(await watchers(of: service) == "1")
  }

  @Test func `what watchers show takes no more memory than it may`() async throws {
    let service = try await Service(
      (0..<400).map { TwinFeature($0, Double($0 % 40) / 5, Double($0 / 40)) })
    let refusals = Refusals()
    let hub = ChangeHub(
      limits: WatchLimits(bytes: 200_000), refusals: refusals
    ) { _ in }
    defer { hub.close() }
    /// The status of a new watcher.
    func watch(_ query: String, client: UInt64) async throws -> Int {
      let viewport = try ViewportRequest(
        Fields(query: query, allowed: ["bbox", "zoom"]), of: .changes)
      var request = HTTPRequest()
      request.client = client
      return await withCheckedContinuation { continuation in
        do {
          try hub.watch(
            .init(collection: "c", query: .init(query)), of: CatalogView(service.catalog),
            .viewport(viewport), since: nil, by: request
          ) {
            continuation.resume(returning: (try? $0.get().status) ?? 0)
          }
        } catch { continuation.resume(returning: (error as? Problem)?.status ?? 0) }
      }
    }
    #expect(try await watch("bbox=0,0,9,9&zoom=4", client: 2) == 200)
    for number in 0..<12 {
      #expect(try await watch("bbox=-\(number),-1,9,11&zoom=10", client: 1) == 200)
    }
    let dropped = { refusals.figures.first { $0.reason == .watcherMemory }?.count ?? 0 }
    for _ in 0..<1000 where dropped() < 4 || hub.figures.watchers != 13 - dropped() {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(dropped() > 3 && hub.figures.watchers == 13 - dropped())
    // The one who takes little is kept.
    #expect(dropped() < 12)
    #expect(try await watch("bbox=0,0,9,9&zoom=4", client: 2) == 200)
  }

  @Test func `addresses take turns, and small viewports don't wait for large ones`() {
    var turns = WatchTurns()
    func candidate(_ client: UInt64, _ cost: Double, _ waited: Double) -> WatchTurns.Candidate {
      .init(clients: [client], cost: cost, waited: waited)
    }
    let due = [candidate(1, 1, 0.5), candidate(1, 0.001, 0), candidate(2, 1, 0)]
    #expect(turns.next(of: due) == 1)
    turns.charge(1, to: [1])
    #expect(turns.next(of: due) == 2)
    turns.charge(1.1, to: [2])
    #expect(turns.next(of: due) == 1)
    // A large one that waits long enough has its turn, and so has one that is shared with an idle address.
    #expect(turns.next(of: [candidate(1, 1, 11), candidate(1, 0.001, 0)]) == 0)
    #expect(turns.next(of: due + [.init(clients: [1, 3], cost: 1, waited: 0)]) == 3)
    // What was used long ago counts no more.
    turns.pass(100)
    #expect(turns.next(of: [candidate(1, 1, 0), candidate(2, 0.5, 0)]) == 1)
    #expect(turns.next(of: []) == nil)
  }

  @Test func `a log discards what is old`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let version = try #require(log.take()?.info.version)
    #expect(log.coordinates(after: version)?.isEmpty == true)
    #expect(log.coordinates(after: version - 1) == nil)
    let many = (0..<1000).map { TwinFeature($0, 4, 5) }
    for _ in 0..<5 { await service.store(many) }
    // Where each was and is, but for the 999 that were nowhere.
    #expect(log.coordinates(after: version)?.count == 9001)
    #expect(log.coordinates(after: version + 4)?.count == 2000)
    for _ in 0..<60 { await service.store(many) }
    let last = version + 65
    #expect(log.coordinates(after: version) == nil)
    let kept = InvalidationLog.capacity / 2000
    let first = last - Int64(kept)
    #expect(log.coordinates(after: first)?.count == kept * 2000)
    #expect(log.coordinates(after: first - 1) == nil)
    #expect(log.coordinates(after: last)?.isEmpty == true)
    #expect(log.coordinates(after: last + 1) == nil)
  }

  @Test func `a version that comes again with other features is told in whole`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    await service.store([TwinFeature(2, 2, 3)])
    let shown = try #require(log.take())
    let version = shown.info.version
    #expect(log.coordinates(after: version)?.isEmpty == true)
    // As where a database has taken over that lacked the last change, and made another one.
    let again = CollectionSnapshot(info: shown.info, collection: shown.collection)
    service.catalog.publish(again, invalidated: nil)
    #expect(log.coordinates(after: version) == nil)
    service.catalog.publish(again.changed(to: version + 1), invalidated: [])
    #expect(log.coordinates(after: version) == nil)
    #expect(log.coordinates(after: version + 1)?.isEmpty == true)
  }

  @Test func `logs of many collections keep less each`() async throws {
    let service = try Service()
    let names = ["c"] + (0..<63).map { "d\($0)" }
    for name in names { await service.store([TwinFeature(1, 2, 3)], in: name) }
    let many = (0..<8000).map { TwinFeature($0, 4, 5) }
    await service.store(many)
    // As many as 64 logs may keep each, until there are that many.
    let share = InvalidationLog.capacity / 4
    var logs: [InvalidationLog] = []
    for name in names {
      logs.append(try #require(service.catalog.changes(of: name) { _ in }))
      let isLast = name == names.last
      guard name == "c" || isLast else { continue }
      let version = try #require(logs[0].take()?.info.version)
      await service.store(many)
      await service.store(many)
      // Each write touches where the features were and are.
      #expect(logs[0].coordinates(after: version)?.count == (isLast ? nil : 32_000))
      #expect(logs[0].coordinates(after: version + 1)?.count == 16_000)
      #expect(16_000 <= share && 32_000 > share)
    }
  }
}
