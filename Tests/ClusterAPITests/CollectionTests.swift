import TestSupport
import Testing

/// Collections: their texts, their versions and the tags of answers.
@Suite(.timeLimit(.minutes(10))) struct CollectionTests {
  private let path = "/collections/c"

  @Test func `texts are kept, cleared and replaced`() async throws {
    let service = try Service()
    let created = await service.send(.put, path)
    created.expect(201)
    #expect(created.response.header("Location") == path)
    #expect(created["title"]?.isNull == true && created["description"]?.isNull == true)
    for (body, title, description) in [
      (#"{"title":"T é \"q\"","description":"D"}"#, "T é \"q\"", "D"), ("{}", "T é \"q\"", "D"),
      ("", "T é \"q\"", "D"),
      (#"{"title":null}"#, nil, "D"), (#"{"title":"","description":null}"#, "", nil),
    ] as [(String, String?, String?)] {
      (await service.send(.put, path, body, type: "application/json")).expect(200)
      let got = await service.get(path)
      #expect(got["title"]?.string == title && got["description"]?.string == description, "\(body)")
    }
    for (body, pointer) in [
      (#"{"title":5}"#, "/title"), (#"{"description":[]}"#, "/description"),
      (#"{"name":"x"}"#, "/name"),
      (#"{"title":"a","title":"b"}"#, "/title"),
    ] { (await service.send(.put, path, body)).expectProblem(400, at: pointer) }
    for body in ["[]", "{", "\"x\""] { (await service.send(.put, path, body)).expectProblem(400) }
  }

  @Test func `a collection tells its extent, counts and links`() async throws {
    let service = try Service()
    await service.send(.put, path).expect(201)
    let empty = await service.get(path)
    #expect(empty["extent"]?["spatial"]?["bbox"]?.isNull == true && empty["featureCount"]?.int == 0)
    await service.store([TwinFeature(1, 180, 3), TwinFeature(2, 10, -7.5), TwinFeature(3, -20, 80)])
    await service.store([TwinFeature(1, 0, 0)], in: "a")
    let full = await service.get(path)
    #expect(full["id"]?.string == "c" && full["featureCount"]?.int == 3)
    // 180 counts as −180.
    #expect(full["extent"]?["spatial"]?["bbox"]?.text == "[[-180,-7.5,10,80]]")
    let relations = (full["links"]?.array ?? []).compactMap { $0["rel"]?.string }
    #expect(relations.contains("self") && relations.contains("items"))
    let list = await service.get("/collections")
    #expect(list["collections"]?.array?.map { $0["id"]?.string } == ["a", "c"])
    #expect(list["collections"]?[1] == full.json)
  }

  @Test func `an extent across 180° has its west above its east`() async throws {
    let service = try await Service([TwinFeature(1, 179.9, -17), TwinFeature(2, -179.9, -17)])
    func bbox() async -> String? { await service.get(path)["extent"]?["spatial"]?["bbox"]?.text }
    func bounds() async -> String? { await service.get("\(path)/tiles.json")["bounds"]?.text }
    #expect(await bbox() == "[[179.9,-17,-179.9,-17]]")
    // Bounds of TileJSON can't cross it.
    #expect(await bounds() == "[-180,-17,180,-17]")
    let list = await service.get("/collections")
    #expect(list["collections"]?[0]?["extent"]?["spatial"]?["bbox"]?.text == (await bbox()))
    let page = await service.get("\(path)?f=html")
    #expect(page.text.contains("179.9° E – 179.9° W"))
    await service.store([TwinFeature(3, 0, 5)])
    #expect(await bbox() == "[[0,-17,-179.9,5]]")
    _ = await service.send(.delete, "\(path)/items/2")
    #expect(await bbox() == "[[0,-17,179.9,5]]")
    #expect(await bounds() == "[0,-17,179.9,5]")
  }

  @Test(arguments: Seeds.each(221...222))
  func `the version grows with every write, also over drop and re-creation`(seed: UInt64)
    async throws
  {
    let service = try Service()
    var generator = SeededGenerator(seed: seed)
    var (last, exists) = (0, false)
    var tags: Set<String> = []
    for step in 0..<60 {
      let wasThere = exists
      let id = generator.int(1...4)
      let feature = TwinFeature(id, Double(id), 1)
      var wrote = true
      switch generator.int(0...4) {
      case 0:
        (await service.send(.put, path, "{\"title\":\"\(step)\"}")).expect(200, 201)
        exists = true
      case 1:
        await service.store([feature])
        exists = true
      case 2:
        (await service.send(.put, "\(path)/items/\(id)", feature.geoJSON)).expect(200, 201)
        exists = true
      case 3:
        let answer = await service.send(.delete, "\(path)/items/\(id)")
        answer.expect(204, 404)
        wrote = answer.status == 204
      default:
        (await service.send(.delete, path)).expect(wasThere ? 204 : 404)
        exists = false
      }
      // Another collection's writes change nothing here.
      await service.store([feature], in: "other")
      guard exists else { continue }
      let info = await service.get(path)
      let version = try #require(info["version"]?.int)
      #expect(wrote ? version > last : version == last, "step \(step)")
      last = version
      let view = "\(path)/clusters?bbox=0,0,9,9&zoom=3"
      let answer = await service.get(view)
      #expect(answer["version"]?.int == version)
      let tag = try #require(answer.response.etag)
      #expect(tags.insert(tag).inserted == wrote, "step \(step)")
    }
  }

  @Test func `an unchanged answer is 304, a changed one is not`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let targets = ["\(path)/clusters?bbox=0,0,9,9&zoom=3", "\(path)/items?limit=5"]
    var tags: [String] = []
    for target in targets {
      let tag = try #require(await service.get(target).response.etag)
      tags.append(tag)
      for condition in ["\"\(tag)\"", "W/\"\(tag)\"", "\"x\", \"\(tag)\""] {
        let answer = await service.get(target, headers: [("If-None-Match", condition)])
        #expect(answer.status == 304 && answer.response.body.isEmpty, "\(condition)")
        #expect(answer.response.etag == tag)
      }
      let other = await service.get(target, headers: [("If-None-Match", "\"\(tag)x\"")])
      other.expect(200)
    }
    #expect(Set(tags).count == 2)
    // What isn't there has no representation at all.
    for (target, status) in [
      ("\(path)/clusters/bogus", 404), ("\(path)/clusters/bogus/children", 404),
      ("\(path)/items?nosuch=1", 400), ("\(path)/tiles/9/0/0?nosuch=1", 400),
      ("\(path)/items/999", 404),
    ] {
      let answer = await service.get(target, headers: [("If-None-Match", "*")])
      answer.expectProblem(status)
    }
    // Another form has another tag.
    let geo = await service.get(targets[0], headers: [("Accept", "application/geo+json")])
    #expect(geo.response.etag != tags[0])
    await service.store([TwinFeature(2, 2, 3)])
    for (target, tag) in zip(targets, tags) {
      (await service.get(target, headers: [("If-None-Match", "\"\(tag)\"")])).expect(200)
    }
  }

  @Test func `a dropped collection is gone, and comes back empty`() async throws {
    let service = try await Service([TwinFeature(7, 2, 3)])
    let gone = await service.send(.delete, path)
    #expect(gone.status == 204 && gone.response.body.isEmpty)
    (await service.send(.delete, path)).expectProblem(404)
    for target in [path, "\(path)/items", "\(path)/items/7", "\(path)/clusters/n7"] {
      (await service.get(target)).expectProblem(404)
    }
    #expect(await service.get("/collections")["collections"]?.text == "[]")
    await service.store([TwinFeature(8, 2, 3)])
    #expect(await service.get("\(path)/items").ids == ["8"])
  }
}
