import ClusterCore
import TestSupport
import Testing

/// Lists of features, and single ones.
@Suite(.timeLimit(.minutes(10))) struct ItemTests {
  @Test(arguments: Seeds.each(211...212))
  func `walking along next visits each feature once, in index order`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = TwinFeature.mixed(300, using: &generator)
    await service.store(features)
    let twin = Twin(features)
    for (bbox, wanted) in [
      ("", twin.features),
      ("bbox=0,-90,180,90", twin.items(west: 0, south: -90, east: 180, north: 90)),
      ("bbox=170%2C-90%2C-170%2C90", twin.items(west: 170, south: -90, east: -170, north: 90)),
      ("bbox=-10,-20,-5,10,20,5", twin.items(west: -10, south: -20, east: 10, north: 20)),
    ] {
      let limit = generator.int(7...60)
      var (ids, pages): ([String], Int) = ([], 0)
      var target: String? = "/collections/c/items?\(bbox)&limit=\(limit)&f=json"
      while let page = target, pages < 200 {
        let answer = await service.get(page)
        #expect(answer.status == 200 && answer["numberMatched"]?.int == wanted.count)
        #expect(answer["numberReturned"]?.int == answer.ids.count && answer.ids.count <= limit)
        ids += answer.ids
        pages += 1
        target = answer.next
        if let next = target {
          for part in [bbox, "limit=\(limit)", "f=json"] { #expect(next.contains(part)) }
        }
      }
      #expect(ids == wanted.map(\.idJSON.text), "\(bbox)")
      #expect(pages == max(1, (wanted.count + limit - 1) / limit))
    }
  }

  @Test func `limit and offset have their contract`() async throws {
    let service = try await Service((0..<30).map { TwinFeature($0, Double($0), 0) })
    func list(_ query: String) async -> Answer {
      await service.get("/collections/c/items?\(query)")
    }
    #expect(await list("")["numberReturned"]?.int == 30)
    let none = await list("limit=0")
    #expect(none["numberMatched"]?.int == 30 && none.ids == [] && none.next == nil)
    #expect(await list("limit=1000000").ids.count == 30)
    let past = await list("offset=1e15&limit=3.0")
    #expect(past.status == 200 && past.ids == [] && past.next == nil)
    let last = await list("offset=28&limit=2")
    #expect(last.ids.count == 2 && last.next == nil)
    for (query, field) in [
      ("limit=-1", "limit"), ("limit=x", "limit"), ("limit=1.5", "limit"), ("offset=-1", "offset"),
      ("limit=1&limit=1", "limit"), ("bbox=1,2,3", "bbox"), ("bbox=1,2,3,4,5", "bbox"),
      ("bbox=a,b,c,d", "bbox"), ("zoom=3", "zoom"), ("Limit=3", "Limit"),
    ] { (await list(query)).expectProblem(400, at: field) }
    for query in ["bbox=0,1,2,0", "bbox=0,-91,1,0", "bbox=0,0,1,91"] {
      (await list(query)).expectProblem(422, at: "bbox")
    }
    // West and south in, east and north out; the pole in.
    #expect(await list("bbox=3,0,5,1")["numberMatched"]?.int == 2)
    #expect(await list("bbox=3,-1,5,0")["numberMatched"]?.int == 0)
    await service.store([TwinFeature(99, 10, 90), TwinFeature(98, 180, 0)])
    #expect(await list("bbox=0,89,20,90")["numberMatched"]?.int == 1)
    #expect(await list("bbox=-180,0,-179,1")["numberMatched"]?.int == 1)
    #expect(await list("bbox=-180,-90,180,90&limit=0")["numberMatched"]?.int == 32)
  }

  @Test func `a feature comes back as it was sent`() async throws {
    let service = try Service()
    var generator = SeededGenerator(seed: 213)
    let path = "/collections/c/items"
    for round in 0..<200 {
      let longitude = generator.pick([generator.double(-180...180), -0.0, 180, 5e-300, 0.1 + 0.2])
      let latitude = generator.pick([generator.double(-90...90), 90, -90, 85.06, -1e-7])
      let altitude = generator.pick(["", ",8848.86", ",-0.5,1e21"])
      let properties =
        #"{"z":1.0,"a":1E5,"big":12345678901234567890,"é\u0000":"\ud83d\ude00/","a2":[{},[null,true]],"":-0}"#
      let x = TestJSON(longitude).text
      let y = TestJSON(latitude).text
      let body =
        #"{"properties":\#(properties),"type":"Feature","bbox":[0,0,1,1],"foreign":{"x":1},"geometry":{"coordinates":[\#(x),\#(y)\#(altitude)],"type":"Point"}}"#
      let put = await service.send(.put, "\(path)/f\(round)", body, type: "application/geo+json")
      put.expect(201)
      let got = await service.get("\(path)/f\(round)")
      #expect(got.status == 200 && got.type == "application/geo+json" && got.text == put.text)
      let point = got["geometry"]?["coordinates"]?.array ?? []
      // Minus zero is zero.
      #expect(point[0].double?.bitPattern == (longitude + 0).bitPattern)
      #expect(point[1].double?.bitPattern == latitude.bitPattern)
      let sent = try TestJSON(parsing: "[\(x),\(y)\(altitude)]").array ?? []
      #expect(point.map(\.double) == sent.map(\.double))
      #expect(got["properties"] == (try TestJSON(parsing: properties)))
      #expect(got.json.members?.map(\.key).sorted() == ["geometry", "id", "properties", "type"])
      #expect(got["id"]?.string == "f\(round)")
    }
  }

  @Test func `PUT, GET and DELETE of one feature`() async throws {
    let service = try Service()
    let feature =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":null}"#
    let item = "/collections/new/items/17"
    (await service.send(.delete, item)).expectProblem(404)
    let created = await service.send(.put, item, feature)
    created.expect(201)
    #expect(created["id"]?.int == 17 && created.response.header("Location") == item)
    (await service.send(.put, item, feature)).expect(200)
    #expect(await service.get(item)["properties"]?.text == "{}")
    // 17, "17" and 17.0 are one id; the latest write decides its form.
    func withID(_ id: String) -> String {
      feature.replacing("{\"type\":\"Feature\"", with: "{\"id\":\(id),\"type\":\"Feature\"")
    }
    for (id, form) in [("\"17\"", "\"17\""), ("17", "17"), ("17.0", "17"), ("1.7e1", "17")] {
      (await service.send(.put, item, withID(id))).expect(200)
      #expect(await service.get(item)["id"]?.text == form)
    }
    for id in ["18", "\"017\"", "\"17 \""] {
      (await service.send(.put, item, withID(id))).expectProblem(422, at: "/id")
    }
    for id in ["1.5", "null1", "true", "\"\"", "9007199254740992"] {
      let answer = await service.send(.put, item, withID(id))
      #expect(answer.status == (id == "null1" ? 400 : 422), "\(id): \(answer.text)")
    }
    for body in [
      "", "{}", "[]", "{", #"{"type":"FeatureCollection","features":[]}"#, feature + feature,
    ] {
      let answer = await service.send(.put, item, body)
      #expect(
        [400, 422].contains(answer.status) && answer.type == "application/problem+json", "\(body)")
    }
    #expect(await service.get("/collections/new")["featureCount"]?.int == 1)
    (await service.send(.put, "/collections/new/items/a%2Fb%20%C3%A9", feature)).expect(201)
    #expect(await service.get("/collections/new/items/a%2Fb%20%C3%A9")["id"]?.string == "a/b é")
    (await service.send(.put, "/collections/new/items/%01", feature)).expectProblem(
      400, at: "featureId")
    (await service.send(
      .put, "/collections/new/items/\(String(repeating: "x", count: 257))", feature))
      .expectProblem(400, at: "featureId")
    let gone = await service.send(.delete, item)
    #expect(gone.status == 204 && gone.response.body.isEmpty)
    (await service.get(item)).expectProblem(404)
    (await service.send(.delete, item)).expectProblem(404)
  }
}
