import ClusterAPI
import HTTPServer
import TestSupport
import Testing

@testable import Collections

/// More collections than one answer lists, and than there may be.
@Suite(.timeLimit(.minutes(10))) struct ManyCollectionsTests {
  /// The ids of the collections of an answer.
  private func ids(_ answer: Answer) -> [String] {
    (answer["collections"]?.array ?? []).compactMap { $0["id"]?.string }
  }

  @Test func `the list has pages`() async throws {
    let service = try Service()
    let all = (0..<120).map { "c\($0)" }.sorted()
    for id in all.reversed() { await service.send(.put, "/collections/\(id)").expect(201) }
    let first = await service.get("/collections")
    #expect(ids(first) == Array(all[..<100]))
    #expect(first.next == "/collections?offset=100")
    let second = await service.get(try #require(first.next))
    #expect(ids(second) == Array(all[100...]) && second.next == nil)
    // Every page of another length, with the other parameters.
    var (found, target): ([String], String?) = ([], "/collections?f=json&limit=50")
    while let next = target, found.count < 200 {
      let page = await service.get(next)
      found += ids(page)
      target = page.next
      #expect(target?.contains("f=json&limit=50") != false)
    }
    #expect(found == all)
    #expect(ids(await service.get("/collections?limit=1000000")) == all)
    #expect(ids(await service.get("/collections?offset=119&limit=5")) == [all[119]])
    #expect(ids(await service.get("/collections?offset=120")) == [])
    #expect(ids(await service.get("/collections?limit=0")) == [])
    (await service.get("/collections?limit=-1")).expectProblem(400, at: "limit")
    (await service.get("/collections?offset=x")).expectProblem(400, at: "offset")
    // Ids that go leave no gap.
    await service.send(.delete, "/collections/\(all[0])").expect(204)
    #expect(ids(await service.get("/collections")) == Array(all[1...100]))
  }

  @Test func `those who see a part leave the last tenth to others`() async throws {
    var limits = WriteLimits()
    limits.collections = 20
    let service = try Service(
      limits: limits,
      keys: """
        admin:root
        {"scope":"write","key":"some","collections":["x*"]}
        {"scope":"write","key":"tenant","filter":"t = 'a'"}
        """)
    let feature = TwinFeature(1, 1, 2, "{\"t\":\"a\"}").geoJSON
    func put(_ id: String, by key: String) async -> Answer {
      await service.send(
        .put, "/collections/\(id)/items/1", feature, headers: [("Authorization", "Bearer \(key)")])
    }
    for number in 0..<18 {
      (await put("x\(number)", by: number % 2 == 0 ? "some" : "tenant")).expect(201)
    }
    for key in ["some", "tenant"] {
      (await put("x18", by: key)).expectProblem(422, at: "collectionId")
      (await put("x17", by: key)).expect(200)
    }
    for id in ["a", "x18"] { (await put(id, by: "root")).expect(201) }
    (await put("b", by: "root")).expectProblem(422, at: "collectionId")
  }

  @Test func `no more are created than there may be`() async throws {
    var limits = WriteLimits()
    limits.collections = 3
    let service = try Service(limits: limits)
    let feature = TwinFeature(1, 1, 2)
    await service.send(.put, "/collections/a").expect(201)
    await service.store([feature], in: "b")
    await service.send(.put, "/collections/c/items/1", feature.geoJSON).expect(201)
    for (method, path, body) in [
      (.put, "/collections/d", nil), (.put, "/collections/d/items/1", feature.geoJSON),
      (.post, "/collections/d/items", feature.geoJSON),
    ] as [(HTTPMethod, String, String?)] {
      (await service.send(method, path, body)).expectProblem(422, at: "collectionId")
    }
    #expect(await service.get("/collections/d").status == 404)
    // Those that are there can be written, and one that goes makes room.
    await service.send(.put, "/collections/a", "{}").expect(200)
    await service.store([feature], in: "a")
    await service.send(.delete, "/collections/a").expect(204)
    await service.send(.put, "/collections/d").expect(201)
    (await service.send(.put, "/collections/a")).expectProblem(422, at: "collectionId")
    // Of several that are written together, as many are created as there may be.
    await service.send(.delete, "/collections/d").expect(204)
    let held = HeldWriter(service)
    let statuses = await withTaskGroup(of: Int.self) { group in
      for id in ["e", "f", "g"] {
        group.addTask {
          await service.send(.put, "/collections/\(id)/items/1", feature.geoJSON).status
        }
      }
      held.release()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.sorted() == [201, 422, 422])
    // A store that holds more than there may be is served as it is.
    service.writer.close()
    limits.collections = 1
    let again = try Service(of: service.directory, limits: limits)
    #expect(ids(await again.get("/collections")).count == 3)
    await again.store([feature], in: "b")
    (await again.send(.put, "/collections/x")).expectProblem(422, at: "collectionId")
  }

  @Test func `figures are told of the largest, and of the others together`() async throws {
    let service = try Service()
    for number in 0..<60 {
      let features = (1...number % 30 + 1).map { TwinFeature($0, 1, 2) }
      await service.store(features, in: "c\(number)")
    }
    let lines = await service.get("/metrics").text.split(separator: "\n")
      .filter { $0.hasPrefix("pincluster_features{") }
    #expect(lines.count == 51)
    let values = lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
    let sum = values.reduce(0, +)
    #expect(sum == 30 * 31)
    // The ten smallest have 1 to 5 features.
    #expect(lines.last == "pincluster_features{collection=\"(others)\"} \(2 * 15)")
    #expect(lines.contains("pincluster_features{collection=\"c29\"} 30"))
    let named = Set(lines.compactMap { $0.split(separator: "\"").dropFirst().first })
    #expect(!named.contains("c4") && !named.contains("c34"))
    #expect(named.contains("c5") && named.contains("c35"))
    #expect(await service.get("/metrics").text.contains("\npincluster_collections 60\n"))
  }

  @Test func `the page for people shows the first`() async throws {
    let service = try Service()
    for number in 0..<103 { await service.send(.put, "/collections/c\(number)").expect(201) }
    let page = await service.get("/", headers: [("Accept", "text/html")]).text
    // One is the head.
    #expect(page.ranges(of: "<tr>").count == 101)
    #expect(page.contains("<a href=\"/collections?offset=100&amp;f=html\">3 more</a>"))
  }
}
