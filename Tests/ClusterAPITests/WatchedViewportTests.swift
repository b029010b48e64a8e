import ClusterCore
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Those who are told only what changes show what a fresh request would.
@Suite(.timeLimit(.minutes(10))) struct WatchedViewportTests {
  /// A view, what its watchers show, and one who lost the connection a while ago.
  private final class Watching {
    let query: String
    let request: ViewportRequest
    let view: WatchedViewport
    var screen = EventScreen()
    var lost: EventScreen?
    var isOver = false

    init(_ query: String) throws {
      self.query = query
      request = try ViewportRequest(
        try Fields(query: query, allowed: ViewportField.names(.changes)))
      view = try #require(WatchedViewport(request))
    }
  }

  @Test(arguments: zip(TwinDataset.allCases, 401..<500))
  func `events leave what a fresh request finds`(data: TwinDataset, seed: Int) async throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let features = data.features(seed: UInt64(seed), count: 200)
    let service = try await Service(features)
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let twin = Twin(features, parsing: true)
    var watching: [Watching] = []
    while watching.count < 10 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.varyStatistics(over: twin, using: &generator)
      request.varyGroups(using: &generator)
      request.debug = false
      if generator.chance(0.8) { request.limit = 10_000 }
      let fields = generator.pick(["", "", "&fields=", "&fields=group,counts,feature"])
      let answer = await service.get("/collections/c/clusters?\(request.query)\(fields)")
      if answer.status == 200 { watching.append(try Watching(request.query + fields)) }
    }
    var held = Dictionary(uniqueKeysWithValues: features.map { ($0.id, $0) })
    for round in 0..<10 {
      if round > 0 {
        for _ in 0..<generator.pick([1, 1, 2, 5, 30]) {
          await change(&held, features, service, using: &generator)
        }
      }
      for one in watching where !one.isOver && (round == 0 || generator.chance(0.6)) {
        try await follow(one, log, service, using: &generator, "\(data) \(seed), round \(round)")
      }
    }
    #expect(watching.count { !$0.isOver } > 4)
  }

  /// Stores, moves, changes or deletes a feature.
  private func change(
    _ held: inout [FeatureID: TwinFeature], _ pool: [TwinFeature], _ service: Service,
    using generator: inout SeededGenerator
  ) async {
    var feature = generator.pick(pool)
    let path = "/collections/c/items/\(TwinRequest.percentEncoded(feature.id.description))"
    if held[feature.id] != nil, generator.chance(0.3) {
      held[feature.id] = nil
      #expect(await service.send(.delete, path).status == 204)
      return
    }
    // Often to where another is, so that coordinates are shared.
    if generator.chance(0.6) { feature.coordinate = generator.pick(pool).coordinate }
    if generator.chance(0.5) { feature.properties = generator.pick(pool).properties }
    let isNew = held.updateValue(feature, forKey: feature.id) == nil
    let answer = await service.send(.put, path, feature.geoJSON, type: "application/json")
    #expect(answer.status == (isNew ? 201 : 200))
  }

  /// Brings a view and its clients up to date, and compares them with fresh answers.
  private func follow(
    _ one: Watching, _ log: InvalidationLog, _ service: Service,
    using generator: inout SeededGenerator, _ round: String
  ) async throws {
    let comment: Comment = "\(round): \(one.query)"
    let snapshot = try #require(log.take())
    let fresh = await service.get("/collections/c/clusters?\(one.query)")
    let isFirst = !one.view.isKnown
    let before = one.view.version
    do {
      let invalidated = isFirst ? nil : log.coordinates(after: before)
      let update = try one.view.update(to: snapshot, invalidated: invalidated, wantsView: isFirst)
      #expect(isFirst || invalidated != nil)
      read(isFirst ? update.view : update.changes, into: &one.screen, comment)
      // One who lost the connection comes again.
      if let lost = one.lost, generator.chance(0.5), let since = lost.lastID {
        let missed = try #require(log.coordinates(after: Int64(since)))
        var screen = lost
        var event = missed.isEmpty ? nil : try one.view.changes(invalidated: missed, in: snapshot)
        if event == nil, !missed.isEmpty {
          event = try one.view.update(to: snapshot, invalidated: nil, wantsView: true).view
        }
        read(event, into: &screen, comment)
        #expect(screen.cells == one.screen.cells, comment)
        one.lost = nil
      }
    } catch is ImpossibleRequest {
      // Now it holds too much.
      #expect(fresh.status == 422, comment)
      one.isOver = true
      return
    }
    if one.lost == nil { one.lost = one.screen }
    guard fresh.status == 200 else {
      // An event alone may be within a limit that the whole is not.
      one.isOver = true
      return
    }
    #expect(one.screen.annotations == fresh.annotations.map(\.text).sorted(), comment)
    #expect(one.screen.featureCount == fresh["featureCount"]?.int, comment)
    let whole = try #require(WatchedViewport(one.request))
    var screen = EventScreen()
    read(
      try whole.update(to: snapshot, invalidated: nil, wantsView: true).view, into: &screen, comment
    )
    #expect(screen.cells == one.screen.cells, comment)
    let head = (fresh.json.members ?? []).filter { $0.key != "annotations" }
    #expect(screen.head == head, comment)
  }

  /// Other temporal properties change what a span of time leaves in, wherever it is.
  @Test func `watchers of a span of time`() async throws {
    let service = try Service()
    let properties = #"{"a":"2020-01-01","b":"2021-01-01"}"#
    await service.store(
      (0..<20).map { TwinFeature($0, Double($0), 0, $0 % 2 == 0 ? properties : nil) })
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let one = try Watching("bbox=-30,-30,60,30&zoom=3&datetime=2020-01-01/2020-06-01")
    for temporal in ["null", #"{"property":"a"}"#, #"{"property":"b"}"#, "null"] {
      let answer = await service.send(
        .put, "/collections/c", "{\"temporal\":\(temporal)}", type: "application/json")
      #expect(answer.status == 200)
      if one.view.isKnown, temporal != "null" {
        await service.store([TwinFeature(1, 1, 0, properties), TwinFeature(3, 3, 0, properties)])
      }
      let snapshot = try #require(log.take())
      let isFirst = !one.view.isKnown
      let update = try one.view.update(
        to: snapshot, invalidated: isFirst ? nil : log.coordinates(after: one.view.version),
        wantsView: isFirst)
      read(isFirst ? update.view : update.changes, into: &one.screen, "\(temporal)")
      let fresh = await service.get("/collections/c/clusters?\(one.query)")
      #expect(one.screen.annotations == fresh.annotations.map(\.text).sorted(), "\(temporal)")
      #expect(one.screen.featureCount == fresh["featureCount"]?.int, "\(temporal)")
    }
  }

  private func read(_ event: [UInt8]?, into screen: inout EventScreen, _ comment: Comment) {
    #expect(screen.read(event ?? []) == [], comment)
  }
}
