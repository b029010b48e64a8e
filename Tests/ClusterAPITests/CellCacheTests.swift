import ClusterCore
import FeatureStore
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import ClusterAPI
@testable import Collections

/// Answers of cached cells, against those that are clustered and encoded as a whole.
@Suite(.timeLimit(.minutes(10))) struct CellCacheTests {
  private let path = "/collections/c"
  /// 2023-11-14T22:13:20Z
  private static let start: Int64 = 1_700_000_000_000

  private static func text(_ time: Int64) -> String {
    "2023-11-14T22:\(13 + ((time - start) / 1000 + 20) / 60):"
      + String(String(100 + ((time - start) / 1000 + 20) % 60).dropFirst()) + "Z"
  }

  /// Asks twice or three times, so that cells are clustered, then copied, and compares.
  private func check(
    _ view: RandomView, _ service: Service, _ comment: @autoclosure () -> String
  ) async {
    for _ in 0..<3 {
      let snapshot = service.catalog["c"]
      let answer = await view.answer(of: service)
      guard let snapshot else {
        #expect(answer.status == 404)
        return
      }
      let expected = view.body(of: snapshot, by: service.api)
      guard let expected else {
        answer.expectProblem(422)
        return
      }
      if answer.response.body != expected {
        Issue.record(
          "\(comment()) \(view.text)\n\(answer.text)\n\(String(decoding: expected, as: UTF8.self))")
      }
    }
  }

  @Test func `what is refused is clustered once a request, and in the same words`() async throws {
    let service = try Service()
    var features: [String] = []
    for number in 0..<12_000 {
      let (x, y) = (Double(number % 120) / 2, Double(number / 120) / 2 - 25)
      features.append(
        #"{"type":"Feature","id":\#(number),"geometry":{"type":"Point","coordinates":[\#(x),\#(y)]},"#
          + #""properties":null}"#)
    }
    await service.store(geoJSON: features)
    let view = "/clusters?bbox=0,-25,60,25&marginFactor=0&zoom=6&cellSize="
    for (cellSize, detail, timesClustered) in [
      ("22.75", "more than 10000 annotations", 0),
      // A limit of the answer doesn't keep its cells from being kept.
      ("300&limit=10", "annotations, more than the limit of 10;", 1),
    ] {
      var (answers, clustered) = (Set<String>(), 0)
      for _ in 0..<4 {
        let before = service.cells.counts.made
        let answer = await service.send(.get, path + view + cellSize)
        answer.expectProblem(422)
        answers.insert(answer.text)
        if service.cells.counts.made != before { clustered += 1 }
      }
      #expect(answers.count == 1 && answers.first?.contains(detail) == true, "\(answers)")
      #expect(clustered == timesClustered)
    }
  }

  @Test(arguments: Seeds.each(1...3))
  func `every answer is the one that is made anew, whatever is written`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let pool = RandomCoordinates(using: &generator)
    let clock = Locked(Self.start)
    let service = try Service(clock: { clock.value })
    for step in 0..<60 {
      await change(service, clock, pool, step, using: &generator)
      for _ in 0..<4 {
        await check(RandomView(using: &generator), service, "seed \(seed) step \(step)")
      }
    }
    let counts = service.cells.counts
    #expect(counts.cached > counts.made && counts.made > 300)
    #expect(service.reports.value == [])
  }

  private func change(
    _ service: Service, _ clock: Locked<Int64>, _ pool: RandomCoordinates, _ step: Int,
    using generator: inout SeededGenerator
  ) async {
    func features(_ ids: some Sequence<Int>) -> String {
      let texts = ids.map { id in
        let expires = clock.value + Int64(generator.int(1...5)) * 1000
        return pool.feature(
          id, expires: generator.chance(0.1) ? Self.text(expires) : nil, using: &generator)
      }
      return #"{"type":"FeatureCollection","features":[\#(texts.joined(separator: ","))]}"#
    }
    let id = generator.int(1...300)
    let answer: Answer
    switch step == 0 ? 17 : generator.int(0...19) {
    case 0...7: answer = await service.post("\(path)/items", features([id]))
    case 8...9:
      answer = await service.send(
        .patch, "\(path)/items/\(id)", #"{"properties":{"k":1}}"#, type: "application/json")
    case 10...11: answer = await service.send(.delete, "\(path)/items/\(id)")
    case 12: answer = await service.send(.put, path, #"{"title":"t"}"#, type: "application/json")
    case 13...14:
      clock.withLock { $0 += Int64(generator.int(0...3)) * 1000 }
      return
    case 15:
      answer = await service.send(
        .delete, "\(path)/items?bbox=-180,\(generator.int(-90...80)),170,85&filter=k%3D3")
    case 16 where generator.chance(0.3):
      answer = await service.send(.delete, path)
      if generator.chance(0.5) { return }
      await service.post("\(path)/items", features(1...50)).expect(200)
    case 17 where generator.chance(0.2):
      answer = await service.post("\(path)/items", features(1...3000))
    default:
      answer = await service.post("\(path)/items", features((0..<30).map { id + $0 * 7 }))
    }
    #expect([200, 201, 204, 404].contains(answer.status), "\(answer.text)")
  }

  @Test func `what expires beside a write that is made of what was before`() async throws {
    let clock = Locked(Self.start)
    let service = try Service(clock: { clock.value })
    var generator = SeededGenerator(seed: 4)
    let pool = RandomCoordinates(using: &generator)
    for id in 1...20 {
      let expires = id % 2 == 0 ? Self.text(Self.start + 5000) : nil
      let feature = pool.feature(id, expires: expires, using: &generator)
      await service.post("\(path)/items", feature).expect(200, 201)
    }
    let base = try #require(service.catalog["c"])
    clock.withLock { $0 += 6000 }
    let views = (0..<30).map { _ in RandomView(using: &generator) }
    for view in views { await check(view, service, "expired") }
    #expect(service.catalog["c"]?.index.count == 10)
    // A write of the snapshot before.
    let changed = try base.collection.applying([
      .remove([FeatureID(known: 1), FeatureID(known: 2)])
    ])
    service.catalog.publish(
      CollectionSnapshot(info: base.info, collection: changed.collection, after: base),
      invalidated: changed.invalidated)
    for view in views { await check(view, service, "written") }
    #expect(service.catalog["c"]?.index.count == 9)
  }

  @Test func `readers beside a writer get what the version holds that they name`() async throws {
    let service = try Service()
    var generator = SeededGenerator(seed: 5)
    let pool = RandomCoordinates(using: &generator)
    let snapshots = Locked<[Int64: CollectionSnapshot]>([:])
    func keep() {
      if let snapshot = service.catalog["c"] {
        snapshots.withLock { $0[snapshot.info.version] = snapshot }
      }
    }
    for id in 1...200 {
      await service.post("\(path)/items", pool.feature(id, using: &generator)).expect(200, 201)
    }
    keep()
    let views = (0..<24).map { _ in RandomView(using: &generator) }
    let seen = Locked<[(view: Int, version: Int64, body: [UInt8])]>([])
    let isDone = Locked(false)
    await withTaskGroup { group in
      for reader in 0..<3 {
        group.addTask {
          var generator = SeededGenerator(seed: 100 + UInt64(reader))
          while !isDone.value {
            let number = generator.int(0...views.count - 1)
            let answer = await views[number].answer(of: service)
            if answer.status == 200, let version = answer["version"]?.int {
              seen.withLock {
                $0.append((number, Int64(version), answer.response.body))
              }
            }
            await Task.yield()
          }
        }
      }
      var writing = generator
      for _ in 0..<150 {
        let id = writing.int(1...200)
        if writing.chance(0.2) {
          _ = await service.send(.delete, "\(path)/items/\(id)")
        } else {
          _ = await service.post("\(path)/items", pool.feature(id, using: &writing))
        }
        keep()
      }
      isDone.withLock { $0 = true }
    }
    var faults = 0
    for (number, version, body) in seen.value {
      let snapshot = try #require(snapshots.value[version])
      if views[number].body(of: snapshot, by: service.api) != body { faults += 1 }
    }
    #expect(faults == 0)
    #expect(seen.value.count > 100 && Set(seen.value.map(\.version)).count > 10)
    #expect(service.cells.counts.cached > 1000)
  }

  @Test func `little memory is kept to, and cells that nobody asks for are evicted`() async throws {
    let budget = CacheBudget(limit: 300_000)
    let service = try Service(catalog: Catalog(cache: AnswerCache(cells: budget)))
    var generator = SeededGenerator(seed: 6)
    let pool = RandomCoordinates(using: &generator)
    let texts = (1...400).map { pool.feature($0, using: &generator) }
    await service.store(geoJSON: texts)
    var largest = 0
    for _ in 0..<80 {
      await check(RandomView(using: &generator), service, "little memory")
      largest = max(largest, budget.memory.byteCount)
      #expect(budget.memory.byteCount <= 300_000)
    }
    #expect(largest > 200_000)
    // A write that touches more than is looked at.
    await service.store(geoJSON: (1...4200).map { pool.feature($0, using: &generator) })
    #expect(budget.memory.byteCount == 0)
  }
}
