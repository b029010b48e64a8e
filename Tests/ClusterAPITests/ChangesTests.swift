import Glibc
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI

/// What can be watched, and how that is answered.
@Suite(.timeLimit(.minutes(5))) struct ChangesTests {
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
    let service = try Service()
    await service.store([TwinFeature(1, 2, 3), TwinFeature(2, 8, 8)])
    let target =
      fields.hasPrefix("&") ? Self.view + fields : "/collections/c/changes?\(fields)"
    (await service.get(target)).expectProblem(status, at: pointer)
    (await service.send(.head, target)).expectProblem(status, at: pointer)
    #expect(try await hasNoWatchers(service))
  }

  /// Waits until no one watches, as watchers go after the answer; false if that takes 10 seconds.
  private func hasNoWatchers(_ service: Service) async throws -> Bool {
    for _ in 0..<1000 {
      if await service.get("/metrics").text.contains("pincluster_watchers 0\n") { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  @Test func `the first event is the view, or what is missing of it`() async throws {
    let service = try Service()
    await service.store([TwinFeature(1, 2, 3)])
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

  @Test func `no more than a thousand watch at a time`() async throws {
    let service = try Service()
    await service.store([TwinFeature(1, 2, 3)])
    for number in 0..<WatchMailbox.maximumWatchers {
      let answer = await service.get("\(Self.view)&minPoints=\(number)")
      #expect(answer.status == 200)
    }
    let refused = await service.get(Self.view)
    refused.expectProblem(503)
    #expect(refused.response.header("Retry-After") != nil)
    #expect(await service.get("/metrics").text.contains("pincluster_watchers 1000\n"))
    // All of them go with the collection.
    #expect(await service.send(.delete, "/collections/c").status == 204)
    #expect(try await hasNoWatchers(service))
    await service.store([TwinFeature(1, 2, 3)])
    #expect(await service.get(Self.view).status == 200)
    #expect(await service.get("/metrics").text.contains("pincluster_watchers 1\n"))
  }

  @Test func `a log forgets what is old`() async throws {
    let service = try Service()
    await service.store([TwinFeature(1, 2, 3)])
    let log = try #require(service.catalog.changes(of: "c") { _ in })
    let version = try #require(log.take()?.info.version)
    #expect(log.coordinates(after: version)?.isEmpty == true)
    #expect(log.coordinates(after: version - 1) == nil)
    let many = (0..<1000).map { TwinFeature($0, 4, 5) }
    for _ in 0..<5 { await service.store(many) }
    // Where each was and is, but for the 999 that were nowhere.
    #expect(log.coordinates(after: version)?.count == 5 * 2000 - 999)
    #expect(log.coordinates(after: version + 4)?.count == 2000)
    for _ in 0..<60 { await service.store(many) }
    let last = version + 65
    #expect(log.coordinates(after: version) == nil)
    let kept = TouchLog.capacity / 2000
    #expect(log.coordinates(after: last - Int64(kept))?.count == kept * 2000)
    #expect(log.coordinates(after: last - Int64(kept) - 1) == nil)
    #expect(log.coordinates(after: last)?.isEmpty == true)
    #expect(log.coordinates(after: last + 1) == nil)
  }
}
