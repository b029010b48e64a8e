import ClusterCore
import GeoFormats
import HTTPServer
import TestSupport
import Testing

@testable import ClusterAPI
@testable import Collections

/// Writes of single features under conditions, merged ones, and deletions of many.
@Suite(.timeLimit(.minutes(10))) struct ItemWritingTests {
  private let item = "/collections/c/items/7"
  private let berlin =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5,34]},"properties":{"a":1,"b":{"c":2,"d":[1]},"e":"f"}}"#

  private func put(
    _ service: Service, _ body: String, _ headers: [(name: String, value: String)] = []
  ) async -> Answer {
    await service.send(.put, item, body, type: "application/geo+json", headers: headers)
  }

  private func tag(_ service: Service) async throws -> String {
    let request = HTTPRequest(method: .get, path: item)
    let answer = await service.get(item).response.prepared(for: request)
    return try #require(answer.header("ETag"))
  }

  @Test func `of two who change one feature the later is told`() async throws {
    let service = try Service()
    #expect(await put(service, berlin, [("If-None-Match", "*")]).status == 201)
    (await put(service, berlin, [("If-None-Match", "*")])).expectProblem(412)
    let first = try await tag(service)
    // Other features' writes leave the tag as it is.
    await service.store([TwinFeature(8, 1, 1)])
    #expect(try await tag(service) == first)
    let changed = berlin.replacing("13.4", with: "13.5")
    let answer = await put(service, changed, [("If-Match", first)])
    #expect(answer.status == 200)
    let second = try await tag(service)
    #expect(second != first)
    #expect(
      answer.response.prepared(for: HTTPRequest(method: .put, path: item)).header("ETag") == second)
    (await put(service, berlin, [("If-Match", first)])).expectProblem(412)
    #expect(await put(service, berlin, [("If-Match", "\"x\", \(second)")]).status == 200)
    #expect(try await tag(service) == first)
    #expect(await put(service, berlin, [("If-Match", "*")]).status == 200)
    // The tag of a compressed answer names the same state; a weak one is no proof.
    let packed = String(first.dropLast()) + "-gz\""
    #expect(await put(service, berlin, [("If-Match", packed)]).status == 200)
    (await put(service, berlin, [("If-Match", "W/\(first)")])).expectProblem(412)
    (await put(service, berlin, [("If-None-Match", first)])).expectProblem(412)
    (await service.send(.delete, item, headers: [("If-Match", second)])).expectProblem(412)
    #expect(await service.send(.delete, item, headers: [("If-Match", first)]).status == 204)
    (await put(service, berlin, [("If-Match", "*")])).expectProblem(412)
    (await put(service, berlin, [("If-Match", first)])).expectProblem(412)
    (await service.send(.delete, item, headers: [("If-Match", "*")])).expectProblem(412)
    #expect(await service.get(item).status == 404)
  }

  @Test func `a condition on features that are posted names the list`() async throws {
    let service = try Service()
    let list = "/collections/c/items"
    func post(_ id: Int, _ field: String, _ value: String) async -> Answer {
      await service.send(
        .post, list, TwinFeature(id, 1, 2).geoJSON, headers: [(field, value)])
    }
    (await post(1, "If-Match", "*")).expectProblem(412)
    (await service.get("/collections/c")).expectProblem(404)
    #expect(await post(1, "If-None-Match", "*").status == 201)
    (await post(2, "If-None-Match", "*")).expectProblem(412)
    func tag() async throws -> String {
      let answer = await service.get(list)
      return try #require(answer.response.prepared(for: HTTPRequest(path: list)).header("ETag"))
    }
    let first = try await tag()
    #expect(await post(2, "If-Match", first).status == 201)
    (await post(3, "If-Match", first)).expectProblem(412)
    #expect(await post(3, "If-Match", "\(first), \(try await tag())").status == 201)
    (await post(4, "If-None-Match", try await tag())).expectProblem(412)
    #expect(await service.get("/collections/c")["featureCount"] == 3)
  }

  @Test func `a condition on a collection or a list names what a GET answers`() async throws {
    let service = try Service()
    let (collection, list) = ("/collections/c", "/collections/c/items?bbox=0,0,9,9")
    func tag(
      _ target: String, _ headers: [(name: String, value: String)] = []
    ) async throws -> String {
      let request = HTTPRequest(method: .get, path: target)
      let answer = await service.send(.get, target, headers: headers)
      return try #require(answer.response.prepared(for: request).header("ETag"))
    }
    func put(_ headers: [(name: String, value: String)]) async -> Answer {
      await service.send(.put, collection, #"{"title":"C"}"#, headers: headers)
    }
    (await put([("If-Match", "*")])).expectProblem(412)
    (await service.send(.delete, collection, headers: [("If-Match", "*")])).expectProblem(412)
    (await service.send(.delete, list, headers: [("If-Match", "*")])).expectProblem(412)
    #expect(await put([("If-None-Match", "*")]).status == 201)
    (await put([("If-None-Match", "*")])).expectProblem(412)
    await service.store([TwinFeature(1, 1, 1), TwinFeature(2, 2, 2)])
    let seen = try await tag(list)
    let page = try await tag(list, [("Accept", "text/html")])
    let all = try await tag(collection)
    #expect(Set([seen, page, all]).count == 3)
    await service.store([TwinFeature(3, 3, 3)])
    (await service.send(.delete, list, headers: [("If-Match", seen)])).expectProblem(412)
    (await put([("If-Match", all)])).expectProblem(412)
    (await service.send(.delete, collection, headers: [("If-Match", all)])).expectProblem(412)
    let now = try await tag(list)
    // The tag of another list or of the collection is none of this one's.
    for other in [try await tag("/collections/c/items?bbox=0,0,9,8"), try await tag(collection)] {
      (await service.send(.delete, list, headers: [("If-Match", other)])).expectProblem(412)
    }
    (await service.send(.delete, list, headers: [("If-None-Match", now)])).expectProblem(412)
    // A GET may have named the type in its query.
    for type in ["json", "geojson", "html", "csv"] {
      for target in ["\(list)&f=\(type)", "/collections/c/items?f=\(type)&bbox=0,0,9,9"] {
        let named = try await tag(target)
        (await service.send(.delete, list, headers: [("If-None-Match", named)])).expectProblem(412)
      }
    }
    for type in ["json", "html"] {
      (await put([("If-None-Match", try await tag("\(collection)?f=\(type)"))])).expectProblem(412)
    }
    let deleted = await service.send(.delete, list, headers: [("If-Match", "\(seen), \(now)")])
    #expect(deleted["deleted"]?.int == 3)
    let html = try await tag(collection, [("Accept", "text/html")])
    #expect(await put([("If-Match", html)]).status == 200)
    (await put([("If-Match", html)])).expectProblem(412)
    // However the collection was read, its state is one.
    for form in ["/", "?f=json", "?f=html", "?minVersion=1"] {
      #expect(await put([("If-Match", try await tag(collection + form))]).status == 200, "\(form)")
    }
    let slash = try await tag(collection)
    #expect(
      await service.send(.put, "\(collection)/", "{}", headers: [("If-Match", slash)]).status == 200
    )
    #expect(
      await service.send(.delete, collection, headers: [("If-Match", try await tag(collection))])
        .status
        == 204)
  }

  @Test func `a race for one feature has one winner`() async throws {
    let service = try Service()
    let body = berlin
    let item = item
    let statuses = await withTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask {
          await service.send(
            .put, item, body.replacing("\"f\"", with: "\(number)"), type: "application/json",
            headers: [("If-None-Match", "*")]
          ).status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == 201 } == 1 && statuses.count { $0 == 412 } == 19)
  }

  @Test(arguments: [
    (#"{"properties":{"a":2}}"#, #"{"a":2,"b":{"c":2,"d":[1]},"e":"f"}"#),
    (
      #"{"properties":{"a":null,"new":{"x":1,"y":null}}}"#,
      #"{"b":{"c":2,"d":[1]},"e":"f","new":{"x":1}}"#
    ),
    (#"{"properties":{"b":{"c":null,"d":{"z":1}}}}"#, #"{"a":1,"b":{"d":{"z":1}},"e":"f"}"#),
    (#"{"properties":{"b":[],"e":1.50}}"#, #"{"a":1,"b":[],"e":1.50}"#),
    (#"{"properties":null}"#, "{}"), ("{}", #"{"a":1,"b":{"c":2,"d":[1]},"e":"f"}"#),
    (#"{"other":1,"properties":{"a":1,"a":3}}"#, #"{"a":3,"b":{"c":2,"d":[1]},"e":"f"}"#),
  ])
  func `a patch is merged as RFC 7396 says`(patch: String, properties: String) async throws {
    let service = try Service()
    #expect(await put(service, berlin).status == 201)
    for type in ["application/merge-patch+json", "application/geo+json", "application/json"] {
      #expect(await put(service, berlin).status == 200)
      let answer = await service.send(.patch, item, patch, type: type)
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer["properties"]?.text == properties)
      let now = await service.get(item)
      #expect(now.text == answer.text)
      #expect(now["geometry"]?["coordinates"]?.text == "[13.4,52.5,34]")
    }
  }

  @Test func `a patch moves a feature, and a bad one changes nothing`() async throws {
    let service = try Service()
    (await service.send(.patch, item, "{}", type: "application/json")).expectProblem(404)
    #expect(await put(service, berlin).status == 201)
    let moved = await service.send(
      .patch, item, #"{"geometry":{"coordinates":[1,2]},"id":7}"#, type: "application/json")
    #expect(moved["geometry"]?["coordinates"]?.text == "[1,2]" && moved["id"]?.text == "7")
    let before = await service.get(item).text
    for (patch, status) in [
      ("", 400), ("{", 400), ("[1]", 422), ("null", 422), (#"{"geometry":null}"#, 422),
      (#"{"geometry":{"coordinates":[200,0]}}"#, 422), (#"{"id":8}"#, 422),
      (#"{"type":"FeatureCollection"}"#, 422), (#"{"geometry":{"type":"LineString"}}"#, 422),
      (#"{"properties":3}"#, 422),
    ] {
      let answer = await service.send(.patch, item, patch, type: "application/merge-patch+json")
      #expect((400...422).contains(answer.status), "\(patch): \(answer.status), not \(status)")
      #expect(await service.get(item).text == before, "\(patch)")
    }
    (await service.send(.patch, item, "{}", type: "text/csv")).expectProblem(415)
    (await service.send(.patch, item, "{}", headers: [("If-Match", "\"x\"")])).expectProblem(412)
  }

  @Test(arguments: Seeds.each(221...222))
  func `what a bbox and a filter hold is deleted at once`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = TwinFeature.mixed(200, using: &generator)
    await service.store(features)
    let twin = Twin(features)
    let west = twin.items(west: -180, south: -90, east: 0, north: 90).map(\.idJSON.text)
    let version = await service.get("/collections/c")["version"]?.int ?? 0
    let answer = await service.send(.delete, "/collections/c/items?bbox=-180,-90,0,90")
    #expect(answer.status == 200 && answer["deleted"]?.int == west.count)
    let left = await service.get("/collections/c/items?limit=10000")
    #expect(Set(left.ids).isDisjoint(with: west) && left.ids.count == features.count - west.count)
    let collection = await service.get("/collections/c")
    #expect(collection["featureCount"]?.int == features.count - west.count)
    #expect(collection["version"]?.int ?? 0 > version)
    // Nothing there to delete is no write.
    let again = await service.send(.delete, "/collections/c/items?bbox=-180,-90,0,90")
    #expect(again["deleted"]?.int == 0)
    #expect(await service.get("/collections/c")["version"] == collection["version"])
    let rest = await service.send(.delete, "/collections/c/items?filter=absent%20IS%20NULL")
    #expect(rest["deleted"]?.int == features.count - west.count)
    (await service.send(.delete, "/collections/c/items")).expectProblem(400, at: "bbox")
    (await service.send(.delete, "/collections/c/items?filter=a%20%3D")).expectProblem(
      400, at: "filter")
    (await service.send(.delete, "/collections/none/items?bbox=0,0,1,1")).expectProblem(404)
  }

  /// A feature of a little more than so many bytes.
  private func large(_ bytes: Int) -> String {
    berlin.replacing("\"f\"", with: "\"\(String(repeating: "f", count: bytes))\"")
  }

  @Test func `features have a largest size`() async throws {
    let service = try Service()
    let limit = FeatureReader.usualLength
    let frame = berlin.utf8.count - 1
    #expect(await put(service, large(limit - frame)).status == 201)
    (await put(service, large(limit - frame + 1))).expectProblem(413)
    let merge = "application/merge-patch+json"
    // A patch may not make it larger either, but may change and shrink it.
    let many = String(repeating: "x", count: 400)
    (await service.send(.patch, item, "{\"properties\":{\"m\":\"\(many)\"}}", type: merge))
      .expectProblem(413)
    (await service.send(.patch, item, large(limit), type: merge)).expectProblem(413)
    #expect(
      await service.send(.patch, item, #"{"properties":{"a":3}}"#, type: merge).status == 200)
    #expect(
      await service.send(.patch, item, #"{"properties":{"e":null}}"#, type: merge).status == 200)
    #expect(await service.get(item)["properties"]?.text == #"{"a":3,"b":{"c":2,"d":[1]}}"#)
    // Among others it is named.
    let both = "{\"type\":\"FeatureCollection\",\"features\":[\(berlin),\(large(limit))]}"
    let items = "/collections/c/items"
    (await service.post(items, both)).expectProblem(422, at: "/features/1")
    let skipped = await service.post(items + "?onError=skip", both)
    #expect(skipped["inserted"]?.int == 1 && skipped["rejected"]?.int == 1)
    (await service.post(items, large(limit))).expectProblem(413)
  }

  @Test func `a patch is merged before the writer has its turn`() async throws {
    let service = try Service()
    #expect(await put(service, large(100_000)).status == 201)
    let text = Array(#"{"properties":{"a":2,"e":null}}"#.utf8)
    let patch = try text.withUnsafeBytes { bytes in
      FeaturePatch(
        of: try FeatureID(integer: 7), on: WriteConditions(), text: text,
        parsed: try JSONParser().parse(bytes), maximumLength: 1 << 20)
    }
    let merged = patch.merge(into: service.catalog["c"])
    /// Stores it with a writer that merges no feature of 1000 bytes. Returns the number of features.
    func store() throws -> Int {
      let share = try #require(service.writer.memory.share(of: 0, for: 0))
      let outcome = try service.writer.perform(
        Write(
          by: CatalogView(service.catalog), in: "c", isSmall: true,
          .patch(patch, merged: merged, mergingAtMost: 1000)), share)
      guard case .storedOne(let batch, isNew: false) = outcome.result else { return 0 }
      return batch.count
    }
    #expect(try store() == 1)
    #expect(await service.get(item)["properties"]?.text == #"{"a":2,"b":{"c":2,"d":[1]}}"#)
    // The feature is small now, so that it can be merged again.
    #expect(try store() == 1)
    #expect(await put(service, large(100_001)).status == 200)
    #expect(throws: FeaturePatch.Stale.self) { try store() }
  }

  @Test func `large patches of one feature at one time are all carried out`() async throws {
    let service = try Service()
    #expect(await put(service, large(200_000)).status == 201)
    let item = item
    let statuses = await withTaskGroup(of: Int.self) { group in
      for number in 0..<40 {
        group.addTask {
          await service.send(
            .patch, item, "{\"properties\":{\"n\(number)\":\(number)}}",
            type: "application/merge-patch+json"
          ).status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 40))
    #expect(await service.get(item)["properties"]?.members?.count == 3 + 40)
  }
}
