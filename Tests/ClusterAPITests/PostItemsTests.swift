import TestSupport
import Testing

/// `POST …/items`: one transaction, four formats, ids of every kind.
@Suite(.timeLimit(.minutes(10))) struct PostItemsTests {
  private let items = "/collections/c/items"
  private static let good =
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#

  private func collection(_ features: [String]) -> String {
    #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
  }

  private static let bad = [
    #"{"type":"Feature","geometry":null,"properties":{}}"#,
    #"{"type":"Feature","properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[null,2]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":["1",2]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[180.1,2]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,91]},"properties":{}}"#,
    #"{"type":"Feature","id":1.5,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
    #"{"type":"Feature","id":"","geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
    #"{"type":"Feature","id":true,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
    #"{"type":"Feature","id":9007199254740992,"geometry":{"type":"Point","coordinates":[1,2]},"properties":{}}"#,
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":[]}"#,
  ]

  @Test func `one bad feature refuses all, each by its pointer, and nothing is changed`()
    async throws
  {
    let service = try await Service([TwinFeature(1, 5, 5)])
    let before = await service.get("/collections/c")
    let body = collection([Self.good] + Self.bad + [Self.good])
    let refused = await service.post(items, body)
    refused.expectProblem(422)
    #expect(refused.pointers == (1...Self.bad.count).map { "/features/\($0)" })
    let swapped = refused["errors"]?[7]?["detail"]?.string ?? ""
    #expect(swapped.contains("swapped"))
    #expect(await service.get("/collections/c").text == before.text)
    let lines = ([Self.good] + Self.bad + [Self.good]).joined(separator: "\n")
    let sequence = await service.post(items, lines, type: "application/x-ndjson")
    sequence.expectProblem(422)
    #expect(sequence.pointers == (2...Self.bad.count + 1).map { "/lines/\($0)" })
    #expect(await service.get("/collections/c").text == before.text)
    let skipped = await service.post(items + "?onError=skip", body)
    skipped.expect(200)
    #expect(skipped["inserted"]?.int == 2 && skipped["updated"]?.int == 0)
    #expect(skipped["rejected"]?.int == Self.bad.count)
    #expect(skipped.pointers == refused.pointers)
    #expect(skipped["ids"]?.text == "[2,3]")
    (await service.post(items + "?onError=stop", body)).expectProblem(400, at: "onError")
    (await service.post(items + "?onErr=skip", body)).expectProblem(400, at: "onErr")
    // A new collection isn't created by a body that is refused.
    (await service.post("/collections/other/items", body)).expectProblem(422)
    (await service.get("/collections/other")).expectProblem(404)
  }

  @Test func `a condition is on what is there, whatever is said of the body`() async throws {
    let service = try await Service([TwinFeature(1, 5, 5)])
    func post(_ tag: String) async -> Answer {
      await service.send(
        .post, items + "?onError=skip&idProperty=id", collection([Self.good]),
        type: "application/json", headers: [("If-Match", tag)])
    }
    let tag = try #require(await service.get(items).response.etag)
    (await post("\"\(tag)\"")).expect(200)
    (await post("\"\(tag)\"")).expectProblem(412)
  }

  @Test func `what isn't JSON in one feature costs that feature alone`() async throws {
    let service = try Service()
    for member in [#""x":1E400"#, #""x":NaN"#, #""x":"\ud83d""#, "\"x\":\"\n\""] {
      let faulty =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{\#(member)}}"#
      let body = collection([Self.good, faulty, Self.good])
      let refused = await service.post(items, body)
      refused.expectProblem(422)
      #expect(refused.pointers == ["/features/1"], "\(refused.text)")
      #expect(
        refused["errors"]?[0]?["detail"]?.string?.contains(#"in "x": "#) == true, "\(refused.text)")
      let skipped = await service.post(items + "?onError=skip", body)
      skipped.expect(200)
      #expect(skipped["inserted"]?.int == 2 && skipped["rejected"]?.int == 1)
      #expect(skipped.pointers == ["/features/1"])
      // Where it isn't clear where a feature ends, nothing of the body is.
      (await service.post(items + "?onError=skip", String(body.dropLast(3)))).expectProblem(400)
    }
  }

  @Test func `a reference system that isn't degrees is named, wherever it stands`() async throws {
    let service = try Service()
    let crs = #""crs":{"type":"EPSG","properties":{"code":3857}}"#
    let plain = collection([Self.good])
    for body in ["{\(crs)," + String(plain.dropFirst()), String(plain.dropLast()) + ",\(crs)}"] {
      let refused = await service.post(items, body)
      refused.expectProblem(422, at: "/crs")
      #expect(
        refused.text.contains("EPSG:3857") && refused.text.contains("ogr2ogr -t_srs EPSG:4326"),
        "\(refused.text)")
    }
    let line = "{\(crs)," + String(Self.good.dropFirst())
    let skipped = await service.post(
      items + "?onError=skip", line + "\n" + Self.good, type: "application/x-ndjson")
    skipped.expect(200)
    #expect(skipped["inserted"]?.int == 1 && skipped.pointers == ["/lines/1"])
  }

  @Test func `what was assumed is said`() async throws {
    let service = try Service()
    let plain = await service.post(items, collection([Self.good]))
    #expect(plain.text == #"{"inserted":1,"updated":0,"rejected":0,"ids":[1]}"#)
    let crs = #"{"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4269"}},"#
    let noted = await service.post(items, crs + collection([Self.good]).dropFirst())
    noted.expect(200)
    let notes = noted["notes"]?.array ?? []
    #expect(notes.count == 1 && notes[0].string?.contains("NAD83") == true, "\(noted.text)")
  }

  @Test func `of many bad features the first hundred are named`() async throws {
    let service = try Service()
    let answer = await service.post(items, collection(Array(repeating: Self.bad[0], count: 150)))
    answer.expectProblem(422)
    #expect(answer.pointers == (0..<100).map { "/features/\($0)" })
  }

  @Test func `17 and its text are one id and the later of two wins`() async throws {
    let service = try Service()
    func feature(_ id: String, _ n: Int) -> String {
      #"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":[1,2]},"properties":{"n":\#(n)}}"#
    }
    let answer = await service.post(
      items,
      collection([feature("17", 1), feature("\"17\"", 2), feature("1.0", 3), feature("\"017\"", 4)])
    )
    #expect(answer.text == #"{"inserted":3,"updated":1,"rejected":0,"ids":[17,"17",1,"017"]}"#)
    let stored = await service.get(items + "/17")
    #expect(stored["id"]?.text == "\"17\"" && stored["properties"]?.text == #"{"n":2}"#)
    #expect(await service.get(items)["numberMatched"]?.int == 3)
  }

  @Test func `ids are given above every integer that there ever was`() async throws {
    let service = try Service()
    func post(_ features: [String]) async -> String? {
      (await service.post(items, collection(features)))["ids"]?.text
    }
    func numbered(_ id: String) -> String {
      Self.good.replacing("{\"type\":\"Feature\"", with: "{\"id\":\(id),\"type\":\"Feature\"")
    }
    #expect(await post([Self.good, Self.good]) == "[1,2]")
    #expect(await post([Self.good, numbered("40"), Self.good]) == "[41,40,42]")
    (await service.send(.delete, items + "/42")).expect(204)
    #expect(await post([Self.good]) == "[43]")
    #expect(await post([numbered("\"50\""), numbered("\"x\""), Self.good]) == "[\"50\",\"x\",51]")
    #expect(await post([numbered("-7"), numbered("null"), Self.good]) == "[-7,52,53]")
    _ = await post([numbered("9007199254740991")])
    (await service.post(items, collection([Self.good]))).expectProblem(422)
    #expect(await service.get(items)["numberMatched"]?.int == 12)
  }

  @Test func `ids of bodies of up to a thousand features are listed`() async throws {
    let service = try Service()
    for (count, isListed) in [(1000, true), (1001, false)] {
      let answer = await service.post(items, collection(Array(repeating: Self.good, count: count)))
      #expect(answer["inserted"]?.int == count && answer["rejected"]?.int == 0)
      #expect(
        (answer["ids"]?.array?.count == count) == isListed && (answer["ids"] == nil) != isListed)
    }
    let empty = await service.post(items, collection([]))
    #expect(empty.text == #"{"inserted":0,"updated":0,"rejected":0,"ids":[]}"#)
  }

  @Test func `ids may come from a property`() async throws {
    let service = try Service()
    func feature(_ properties: String) -> String {
      #"{"type":"Feature","id":99,"geometry":{"type":"Point","coordinates":[1,2]},"properties":\#(properties)}"#
    }
    let answer = await service.post(
      items + "?idProperty=osm%20id",
      collection([
        feature(#"{"osm id":5}"#), feature(#"{"osm id":"a"}"#), feature(#"{"osm id":null}"#),
        feature("{}"),
      ]))
    #expect(answer["ids"]?.text == #"[5,"a",6,7]"#)
    #expect(await service.get(items + "/5")["properties"]?.text == #"{"osm id":5}"#)
    let bad = await service.post(
      items + "?idProperty=k", collection([feature(#"{"k":1.5}"#), feature(#"{"k":[1]}"#)]))
    bad.expectProblem(422)
    #expect(bad.pointers == ["/features/0", "/features/1"])
  }

  @Test func `what is said of a CSV must be known`() async throws {
    let service = try Service()
    for (query, name) in [
      ("separator=x", "separator"), ("separator=", "separator"), ("separator=%09", "separator"),
      ("decimal=;", "decimal"), ("encoding=", "encoding"), ("encoding=utf-99", "encoding"),
      ("encoding=UTF-8//TRANSLIT", "encoding"), ("lon=a", "lon"), ("lat=a", "lat"),
      ("geometry=a&lon=b&lat=c", "geometry"), ("quote='", "quote"), ("text=a&text=b", "text"),
    ] {
      let bad = await service.post("\(items)?\(query)", "lon,lat\n1,2\n", type: "text/csv")
      // What can't be, as other than what isn't among the words.
      bad.expectProblem(["encoding", "lon", "lat", "geometry"].contains(name) ? 422 : 400)
      #expect(bad.pointers == [name], "\(query): \(bad.text)")
    }
  }

  @Test func `CSV has columns, numbers, texts and absent values`() async throws {
    let service = try Service()
    let text =
      "\u{FEFF}ID,Long,name,LATITUDE,n\r\n7,1.5,\"a, \"\"b\"\"\",2.25,12.50\r\n007,-3,,4,12e4\r\n12e4,5,x,6,007\r\n,8,y,9,\r\n"
    let answer = await service.post(items, text, type: "text/csv; header=present")
    // Columns have one type each.
    #expect(answer["ids"]?.text == #"["7","007","12e4",8]"#)
    func stored(_ id: String) async -> String? {
      await service.get("\(items)/\(id)")["properties"]?.text
    }
    #expect(await stored("7") == #"{"name":"a, \"b\"","n":"12.50"}"#)
    #expect(await stored("007") == #"{"n":"12e4"}"#)
    #expect(await stored("12e4") == #"{"name":"x","n":"007"}"#)
    #expect(await stored("8") == #"{"name":"y"}"#)
    let bad = await service.post(items, "lat,lon\n1,2\n3\nx,4\n91,5\n", type: "text/csv")
    bad.expectProblem(422)
    #expect(bad.pointers == ["/lines/3", "/lines/4", "/lines/5"])
    for header in ["a,b\n1,2", ""] {
      let refused = await service.post(items, header, type: "text/csv")
      #expect([400, 422].contains(refused.status), "\(refused.text)")
    }
  }

  @Test func `places keep what is beside their coordinates`() async throws {
    let service = try Service()
    let list = #"{"p":{"lat":1,"lng":2,"city":"B"}}"#
    let document = #"{"a":[\#(list)],"b":[{"lat":1,"lng":2}]}"#
    (await service.post(items, document, type: "application/json")).expectProblem(422)
    let named = await service.post("\(items)?layer=/a", document, type: "application/json")
    #expect(named.status == 200 && named["inserted"]?.text == "1", "\(named.text)")
    let put = await service.send(
      .put, "\(items)/x", list.replacing("{\"p\"", with: "{\"id\":\"x\",\"p\""))
    #expect(put.status == 201, "\(put.text)")
    for id in ["1", "x"] {
      let feature = await service.get("\(items)/\(id)")
      #expect(feature["properties"]?.text == #"{"p":{"city":"B"}}"#, "\(feature.text)")
    }
    let empty = await service.post(items, #"{"data":{"bikes":[]}}"#, type: "application/json")
    #expect(empty.status == 200 && empty["inserted"]?.text == "0", "\(empty.text)")
    #expect(empty["notes"]?.text == #"["the list \"/data/bikes\" is empty"]"#, "\(empty.text)")
  }

  @Test func `what isn't features is refused whole`() async throws {
    let service = try Service()
    for body in [
      "", "{", "3", "{}", #"{"type":"Point","coordinates":[1,2]}"#,
      collection([Self.good]) + "x",
      String(repeating: "[", count: 100_000),
      "{\"type\":\"FeatureCollection\",\"features\":[\(Self.good),]}", "\u{0}",
    ] {
      let answer = await service.post(items, body)
      #expect(
        [400, 422].contains(answer.status) && answer.type == "application/problem+json",
        "\(body.prefix(40)): \(answer.text)")
    }
    (await service.get("/collections/c")).expectProblem(404)
    #expect(service.reports.withLock { $0 } == [])
  }
}
