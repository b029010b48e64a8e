import TestSupport
import Testing

/// The fields of a viewport request: what each refuses, in a body and in a query.
@Suite(.timeLimit(.minutes(10))) struct ViewFieldTests {
  /// The other fields that make a request with this one complete.
  private func fields(without field: String) -> [(name: String, json: String, query: String)] {
    var fields: [(String, String, String)] = []
    if !["bbox", "visibleMapRect", "region"].contains(field) {
      fields.append(("bbox", "[0,0,9,9]", "0,0,9,9"))
    }
    if !["zoom", "viewportWidth"].contains(field) { fields.append(("zoom", "3", "3")) }
    return fields
  }

  @Test(arguments: ["clusters", "pins"])
  func `a bad field is named, in a body and in a query`(resource: String) async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for bad in FieldSamples.bad {
      // Of pins only the rect and these count; the others must be well-formed at most.
      let counts = [
        "bbox", "visibleMapRect", "region", "marginFactor", "distanceFromContestedLocation",
        "limit",
      ].contains(bad.field)
      if resource == "pins" && bad.status == 422 && !counts { continue }
      let others = fields(without: bad.field)
      let body = (others.map { ($0.name, $0.json) } + [(bad.field, bad.json)])
        .map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
      (await service.post("/collections/c/\(resource)", "{\(body)}"))
        .expectProblem(bad.status, at: "/\(bad.field)", "POST \(bad)")
      guard let text = bad.query else { continue }
      let query = (others.map { ($0.name, $0.query) } + [(bad.field, text)])
        .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
      (await service.get("/collections/c/\(resource)?\(query)"))
        .expectProblem(bad.status, at: bad.field, "GET \(bad)")
    }
    #expect(service.reports.withLock { $0 } == [])
  }

  @Test func `a body of named values has at most 1 MiB, a list of properties 1,000 names`()
    async throws
  {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let names = (0..<1000).map { "\"p\($0)\"" }.joined(separator: ",")
    let body = "{\"bbox\":[0,0,9,9],\"zoom\":3,\"properties\":[\(names)]}"
    let padding = String(repeating: " ", count: (1 << 20) - body.utf8.count)
    for resource in ["clusters", "pins"] {
      let path = "/collections/c/\(resource)"
      #expect(await service.post(path, body + padding).status == 200)
      #expect(await service.post(path, body + padding + " ").status == 413)
    }
    let locate =
      #"{"latitudinalMeters":9,"longitudinalMeters":9,"viewportWidth":9,"viewportHeight":9}"#
    let path = "/collections/c/items/1/locate"
    #expect(await service.post(path, locate + padding).status == 200)
    #expect(await service.post(path, locate + padding + body).status == 413)
    // Other requests have no use for a body.
    for (size, status) in [(1 << 20, 200), ((1 << 20) + 1, 413)] {
      let body = String(repeating: " ", count: size)
      #expect(await service.send(.get, "/collections/c/items/1", body).status == status)
    }
  }

  @Test func `a rect of MapKit as it is has no other names`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    let rect = #"{"origin":{"x":0,"y":0},"size":{"width":9,"height":9}}"#
    let answer = await service.post(
      "/collections/c/clusters", #"{"visibleMapRect":\#(rect),"zoom":3}"#)
    answer.expectProblem(400, at: "/visibleMapRect/origin")
    #expect(answer.text.contains("visibleMapRect has x, y, width and height"), "\(answer.text)")
    let region = #"{"center":{"lat":1},"span":{"latitudeDelta":1,"longitudeDelta":1}}"#
    let other = await service.post("/collections/c/clusters", #"{"region":\#(region),"zoom":3}"#)
    other.expectProblem(400, at: "/region/center/lat")
    #expect(other.text.contains("region/center has latitude and longitude"), "\(other.text)")
  }

  @Test func `a request needs one rect and one scale`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    for (body, pointer) in [
      ("{}", "/bbox"), (#"{"zoom":3}"#, "/bbox"), (#"{"bbox":[0,0,1,1]}"#, "/zoom"),
      (#"{"bbox":[0,0,1,1],"zoom":3,"viewportWidth":300}"#, "/zoom"),
      (#"{"bbox":null,"zoom":3}"#, "/bbox"), (#"{"bbox":[0,0,1,1],"zoom":null}"#, "/zoom"),
      (#"{"bbox":[0,0,1,1],"bbox":[0,0,1,1],"zoom":3}"#, "/bbox"),
      (
        #"{"bbox":[0,0,1,1],"visibleMapRect":{"x":0,"y":0,"width":1,"height":1},"zoom":3}"#,
        "/visibleMapRect"
      ),
    ] {
      (await service.post("/collections/c/clusters", body)).expectProblem(400, at: pointer)
    }
    let target = "/collections/c/clusters"
    (await service.get(target)).expectProblem(400, at: "bbox")
    (await service.get(target + "?bbox=0,0,1,1")).expectProblem(400, at: "zoom")
    (await service.get(target + "?bbox=0,0,1,1&zoom=3&zoom=3")).expectProblem(400, at: "zoom")
    (await service.get(target + "?bbox=0,0,1,1&region=0,0,1,1&zoom=3"))
      .expectProblem(400, at: "region")
    (await service.get(target + "?bbox=0,0,1,1&zo%6Fm=3&zoom=3")).expectProblem(400, at: "zoom")
    // A POST's fields are in its body, not in its query.
    (await service.post(target + "?zoom=3", #"{"bbox":[0,0,1,1]}"#)).expectProblem(400, at: "zoom")
    for body in ["", " ", "[]", "3", "null", "{", "{}}", "{\"bbox\"", "\u{FEFF}", #"{"zoom":3,}"#] {
      (await service.post(target, body)).expectProblem(400)
    }
  }

  @Test func `null is absent`() async throws {
    let service = try await Service([
      TwinFeature(1, 2, 3), TwinFeature(2, 2, 3), TwinFeature(3, 8, 8),
    ])
    let plain = await service.post("/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":3}"#)
    plain.expect(200)
    let names = Set(FieldSamples.bad.map(\.field)).subtracting(["bbox", "zoom", "zooom", "Zoom"])
      .sorted()
    let nulls = names.map { "\"\($0)\":null" }.joined(separator: ",")
    let answer = await service.post(
      "/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":3,\#(nulls)}"#)
    #expect(answer.status == 200 && answer.text == plain.text)
  }

  @Test func `a refusal for size names what would do, and it does`() async throws {
    let service = try await Service((0..<30).map { TwinFeature($0, Double($0) * 2, 0) })
    let limited = #"{"bbox":[0,-10,60,10],"zoom":10,"limit":LIMIT}"#
    func send(_ limit: Int) async -> Answer {
      await service.post(
        "/collections/c/clusters", limited.replacing("LIMIT", with: String(limit)))
    }
    let refused = await send(10)
    refused.expectProblem(422, at: "/limit")
    let detail = refused["errors"]?[0]?["detail"]?.string ?? ""
    let numbers = detail.split { !$0.isNumber }.compactMap { Int($0) }
    #expect(numbers.contains(30))
    (await send(30)).expect(200)
    let large = "/collections/c/clusters?bbox=-180,-85,180,85&zoom=14&cellSize="
    let tooMany = await service.get(large + "60")
    tooMany.expectProblem(422, at: "cellSize")
    for zoom in [8, 14] {
      let listed = "/collections/c/clusters?bbox=0,0,60,60&zoom=\(zoom)&debug=true"
      let refused = await service.get(listed)
      refused.expectProblem(422, at: "debug")
      // A zoom or a cell size that would do is told, and does.
      let detail = refused["errors"]?[0]?["detail"]?.string ?? ""
      let remedy = detail.split(separator: ";").last ?? ""
      let numbers = remedy.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
      let number = try #require(numbers.first)
      let lower = listed.replacing("zoom=\(zoom)", with: "zoom=\(Double(zoom) - number)")
      let better = remedy.contains("cellSize") ? "\(listed)&cellSize=\(number)" : lower
      (await service.get(better)).expect(200)
    }
    (await service.get("/collections/c/pins?bbox=-180,-90,180,90&limit=29")).expectProblem(
      422, at: "limit")
    (await service.get("/collections/c/pins?bbox=-180,-90,180,90&limit=30")).expect(200)
  }

  @Test func `names of properties have at most 1,000 bytes`() async throws {
    let service = try await Service([TwinFeature(1, 1, 1, "{\"a\":1}")])
    let view = "/collections/c/clusters?bbox=0,0,9,9&zoom=3&"
    for (count, status) in [(1000, 200), (1001, 422)] {
      let name = String(repeating: "é", count: count / 2) + String(repeating: "x", count: count % 2)
      let escaped = name.utf8.map { "%" + String($0, radix: 16) }.joined()
      for (target, pointer) in [
        (view + "countBy=", "countBy"), (view + "groupBy=", "groupBy"),
        (view + "titleProperty=", "titleProperty"), (view + "properties=", "properties"),
        ("/collections/c/items?properties=", "properties"),
        (view + "method=collision&priorityBy=", "priorityBy"),
      ] {
        let answer = await service.get(target + escaped)
        if status == 422 {
          answer.expectProblem(422, at: pointer)
        } else {
          #expect(!answer.text.contains("name of a property has"), "\(answer.text)")
        }
      }
      let filter = "{\"op\":\"=\",\"args\":[{\"property\":\"\(name)\"},1]}"
      let aggregate = "{\"s\":[\"sum\",\"\(name)\"]}"
      for (field, pointer) in [
        ("\"filter\":\(filter)", "/filter"), ("\"aggregate\":\(aggregate)", "/aggregate/s/1"),
        ("\"histogram\":{\"property\":\"\(name)\",\"bins\":2}", "/histogram/property"),
      ] {
        let answer = await service.post(
          "/collections/c/clusters", "{\"bbox\":[0,0,9,9],\"zoom\":3,\(field)}")
        if status == 422 {
          answer.expectProblem(422, at: pointer)
        } else {
          #expect(!answer.text.contains("name of a property"), "\(answer.text)")
        }
      }
    }
  }

  @Test func `titles and descriptions are no longer than lists have room for`() async throws {
    let service = try Service()
    for (name, most) in [("title", 1000), ("description", 4096)] {
      func text(_ count: Int) -> String {
        "{\"\(name)\":\"\(String(repeating: "é", count: count / 2))\"}"
      }
      (await service.send(.put, "/collections/c", text(most))).expect(200, 201)
      (await service.send(.put, "/collections/c", text(most + 2)))
        .expectProblem(422, at: "/\(name)")
      #expect(await service.get("/collections/c")[name]?.string?.utf8.count == most)
    }
  }
}
