import ClusterCore
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// The needs of answers, and the ways to them: whatever a field says, the cheapest way that serves it and the caches give
/// the answer of the way that serves everything.
@Suite(.timeLimit(.minutes(10))) struct NeedsTests {
  /// A service with features in crowds, some of them at the same coordinates, and on both sides of the antimeridian.
  private func service() async throws -> Service {
    var generator = SeededGenerator(seed: 71)
    let service = try Service()
    await service.send(.put, "/collections/c", #"{"temporal":{"property":"t"}}"#).expect(201)
    var features: [TwinFeature] = []
    for id in 1...160 {
      var (x, y) = (generator.double(-30...40), generator.double(-40...50))
      if id % 4 == 0 { (x, y) = (Double(id % 3) * 9, 9) }
      if id % 5 == 0 { x += x < 0 ? -150 : 140 }
      let time = "202\(id % 8)-06-01T00:00:00Z"
      let properties = #"{"k":\#(id % 3),"w":\#(id % 7),"name":"n\#(id)","t":"\#(time)"}"#
      features.append(TwinFeature(id, x, y, properties))
    }
    await service.store(features)
    return service
  }

  private static let place = #"{"bbox":[-60,-60,60,60],"zoom":2}"#

  /// The body of a request, with a field or without it.
  private func body(_ name: String, _ sample: FieldSamples.Good, with isGiven: Bool) throws
    -> TestJSON
  {
    var members = try TestJSON(parsing: Array(Self.place.utf8)).members ?? []
    let others = try TestJSON(parsing: Array("{\(sample.beside)}".utf8)).members ?? []
    let own = try TestJSON(parsing: Array("{\"\(name)\":\(sample.value)}".utf8)).members ?? []
    let replaced = ["visibleMapRect": "bbox", "region": "bbox", "viewportWidth": "zoom"][name]
    for member in others + (isGiven ? own : []) {
      members.removeAll { $0.key == member.key || isGiven && $0.key == replaced }
      members.append(member)
    }
    return .object(members)
  }

  private func request(_ body: String, _ form: String) -> HTTPRequest {
    HTTPRequest(
      method: .post, path: "/collections/c/clusters", query: "f=\(form)",
      headers: HTTPHeaders([(name: "Content-Type", value: "application/json")]),
      body: RequestBody(Array(body.utf8)))
  }

  @Test func `there is a sample of every field`() {
    for field in ViewportField.all {
      #expect(
        FieldSamples.good[field.name] != nil, "\(field.name) needs a value in FieldSamples.good")
    }
  }

  @Test(arguments: ["json", "geojson"])
  func `no field is passed over by any way to an answer`(form: String) async throws {
    let service = try await service()
    let snapshot = try #require(service.catalog["c"])
    for (name, sample) in FieldSamples.good {
      var answers: [[UInt8]] = []
      for isGiven in [false, true] {
        let body = try body(name, sample, with: isGiven).text
        let asked = try service.api.resources.viewport(request(body, form)).0
          .resolved(by: snapshot.info.temporal)
        let isTold = !asked.needs.contains(.unknown)
        #expect(isTold, "the options don't tell what \(name) needs")
        let whole = try ClusterAnswer(asked, of: snapshot).json().bytes
        #expect(try ClusterAnswer.json(asked, of: snapshot).bytes == whole, "\(form) \(body)")
        // The first answer is clustered, the second fills the cache, the third is copied from it.
        for _ in 0..<3 {
          let answer = await service.post("/collections/c/clusters?f=\(form)", body)
          #expect(answer.response.body == whole, "\(form) \(body): \(answer.text)")
        }
        answers.append(whole)
      }
      #expect(
        (answers[0] != answers[1]) == sample.hasEffect,
        "\(form) \(name) changes \(sample.hasEffect ? "nothing" : "the answer")")
    }
  }

  @Test func `no field is passed over by any way to a tile`() async throws {
    let service = try await service()
    let snapshot = try #require(service.catalog["c"])
    let tiles = [Tile(zoom: 0, x: 0, y: 0), Tile(zoom: 2, x: 2, y: 1)]
    for field in ViewportField.all where field.requests.contains(.tile) {
      let sample = try #require(FieldSamples.good[field.name])
      let own = try TestJSON(parsing: Array("{\"\(field.name)\":\(sample.value)}".utf8))
      for tile in tiles {
        let asked = try TileRequest(try #require(tile), query: TwinRequest.query(own))
          .resolved(by: snapshot.info.temporal)
        #expect(!asked.viewport.needs.contains(.unknown), "\(field.name)")
        let whole = try TileWriter(asked, ClusterAnswer(asked.viewport, of: snapshot)).encode()
        #expect(
          try !whole.isEmpty && TileWriter.tile(asked, of: snapshot) == whole, "\(field.name)")
      }
    }
  }

  @Test func `plain requests need plain cells, and others don't`() async throws {
    let service = try await service()
    for (name, sample) in FieldSamples.good where sample.beside.isEmpty {
      let body = try body(name, sample, with: true).text
      let needs = try service.api.resources.viewport(request(body, "json")).0.needs
      let plain = [
        "bbox", "visibleMapRect", "region", "viewportWidth", "zoom", "cellSize", "marginFactor",
        "limit", "properties", "fields", "filter", "filter-lang", "filter-crs", "ids",
      ]
      #expect(needs.isSubset(of: .plainCells) == plain.contains(name), "\(name): \(needs)")
    }
  }
}
