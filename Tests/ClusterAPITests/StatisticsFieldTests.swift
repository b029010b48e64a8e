import TestSupport
import Testing

/// The fields of section 8: what each refuses, and which don't go together.
@Suite(.timeLimit(.minutes(10))) struct StatisticsFieldTests {
  /// Fields as JSON, the one to blame (a prefix of the pointer), and the status.
  struct Bad: Sendable, CustomStringConvertible {
    var fields: String
    var pointer: String
    var status: Int
    var description: String { fields }

    init(_ fields: String, _ pointer: String, _ status: Int) {
      (self.fields, self.pointer, self.status) = (fields, pointer, status)
    }
  }

  static let bad: [Bad] = [
    Bad(#""weightBy":5"#, "weightBy", 400), Bad(#""weightBy":["a"]"#, "weightBy", 400),
    Bad(#""groupBy":true"#, "groupBy", 400), Bad(#""countBy":{}"#, "countBy", 400),
    Bad(#""priorityBy":1"#, "priorityBy", 400), Bad(#""clusterBy":[]"#, "clusterBy", 400),
    Bad(#""groups":{"a":{"minPoints":3}}"#, "groups", 422), Bad(#""groups":{}"#, "groups", 422),
    Bad(#""groups":{},"groupBy":null"#, "groups", 422),
    Bad(#""groupBy":"k","groups":[]"#, "groups", 400),
    Bad(#""groupBy":"k","groups":"a""#, "groups", 400),
    Bad(#""groupBy":"k","groups":{"a":5}"#, "groups/a", 400),
    Bad(#""groupBy":"k","groups":{"a":{"limit":5}}"#, "groups/a/limit", 400),
    Bad(#""groupBy":"k","groups":{"a":{"cellSize":"60"}}"#, "groups/a/cellSize", 400),
    Bad(#""groupBy":"k","groups":{"a":{"cellSize":0.5}}"#, "groups/a/cellSize", 422),
    Bad(#""groupBy":"k","groups":{"a":{"cellSize":2049}}"#, "groups/a/cellSize", 422),
    Bad(#""groupBy":"k","groups":{"a":{"clusterer":"middle"}}"#, "groups/a/clusterer", 400),
    Bad(#""groupBy":"k","groups":{"a":{"minPoints":-1}}"#, "groups/a/minPoints", 422),
    Bad(#""groupBy":"k","groups":{"a":{"minPoints":1.5}}"#, "groups/a/minPoints", 400),
    Bad(
      #""groupBy":"k","groups":{"a":{"minUniqueLocationsForClustering":-1}}"#,
      "groups/a/minUniqueLocationsForClustering", 422),
    Bad(
      #""groupBy":"k","groups":{"a":{"maxZoomLevelForClustering":"x"}}"#,
      "groups/a/maxZoomLevelForClustering", 400),
    Bad(#""groupBy":"k","groups":{"a/b~":{"minPoints":-1}}"#, "groups/a~1b~0/minPoints", 422),
    Bad(#""aggregate":["sum","p"]"#, "aggregate", 400), Bad(#""aggregate":"x""#, "aggregate", 400),
    Bad(#""aggregate":{"a":"sum"}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["sum"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["sum","p","q"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["sum",5]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["middle","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["p0","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["p100","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["p-1","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["p","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["p9.5","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":["SUM","p"]}"#, "aggregate/a", 400),
    Bad(#""aggregate":{"a":[5,"p"]}"#, "aggregate/a", 400),
    Bad(
      "\"aggregate\":{" + (0..<17).map { "\"a\($0)\":[\"sum\",\"p\"]" }.joined(separator: ",")
        + "}", "aggregate", 422),
    Bad(#""method":"hexagon""#, "method", 400), Bad(#""method":"Grid""#, "method", 400),
    Bad(#""method":5"#, "method", 400),
    Bad(#""epsilon":0.9,"method":"distance""#, "epsilon", 422),
    Bad(#""epsilon":512.5,"method":"distance""#, "epsilon", 422),
    Bad(#""epsilon":"30""#, "epsilon", 400), Bad(#""epsilon":0.9"#, "epsilon", 422),
    Bad(#""epsilon":600,"method":"collision""#, "epsilon", 422),
    Bad(#""markerSize":40"#, "markerSize", 400), Bad(#""markerSize":[40]"#, "markerSize", 400),
    Bad(#""markerSize":[40,40,40]"#, "markerSize", 400),
    Bad(#""markerSize":[40,"40"]"#, "markerSize", 400),
    Bad(#""markerSize":[40,null]"#, "markerSize", 400),
    Bad(#""markerSize":{"width":40,"height":40}"#, "markerSize", 400),
    Bad(#""markerSize":[0.5,40]"#, "markerSize", 422),
    Bad(#""markerSize":[40,2049],"method":"collision""#, "markerSize", 422),
  ]

  /// What the grid takes and the other methods don't.
  static let ofTheGrid: [(name: String, value: String)] = [
    ("clusterer", "\"first\""), ("cellSize", "60"), ("maxZoomLevelForClustering", "5"),
    ("minUniqueLocationsForClustering", "0"), ("minPoints", "2"),
    ("groups", "{\"a\":{\"minPoints\":3}}"), ("decluster", "false"), ("debug", "false"),
  ]

  private func post(_ fields: String, to service: Service) async -> Answer {
    await service.post("/collections/c/clusters", "{\"bbox\":[0,0,9,9],\"zoom\":3,\(fields)}")
  }

  private func get(_ fields: String, from service: Service) async throws -> Answer {
    let body = try TestJSON(parsing: "{\(fields)}").without([]).members ?? []
    let query = TwinRequest.query(.object(body.filter { !$0.value.isNull }))
    return await service.get("/collections/c/clusters?bbox=0,0,9,9&zoom=3&\(query)")
  }

  @Test(arguments: bad)
  func `a bad field is named`(bad: Bad) async throws {
    let service = try await Service([TwinFeature(1, 2, 3)])
    (await post(bad.fields, to: service)).expectProblem(bad.status, at: "/\(bad.pointer)", "\(bad)")
    // A query can't say of what type most values are.
    let name = String(bad.pointer.prefix { $0 != "/" })
    guard bad.status == 422 || ["groups", "aggregate"].contains(name) else { return }
    (try await get(bad.fields, from: service)).expectProblem(bad.status, at: name, "\(bad)")
  }

  @Test(arguments: ["distance", "collision"])
  func `methods without a grid refuse what only a grid has`(method: String) async throws {
    let service = try await Service([TwinFeature(1, 2, 3), TwinFeature(2, 2, 3)])
    let plain = await post("\"method\":\"\(method)\"", to: service)
    #expect(plain.status == 200, "\(plain.text)")
    for (name, value) in Self.ofTheGrid {
      let group = name == "groups" ? ",\"groupBy\":\"k\"" : ""
      let fields = "\"method\":\"\(method)\",\"\(name)\":"
      (await post(fields + value + group, to: service)).expectProblem(400, at: "/\(name)", name)
      (try await get(fields + value + group, from: service)).expectProblem(400, at: name, name)
      let null = await post(fields + "null", to: service)
      #expect(null.status == 200 && null.text == plain.text, "\(name): \(null.text)")
    }
    // Those of another method are looked at and left.
    let priority = method == "distance" ? #","priorityBy":"x""# : ""
    let others =
      #","epsilon":30,"markerSize":[40,40],"distanceFromContestedLocation":3"# + priority
    let same = await post("\"method\":\"\(method)\"\(others)", to: service)
    #expect(same.text == plain.text, "\(same.text)")
  }

  @Test func `the fields of other methods and absent properties change nothing`() async throws {
    let service = try await Service([
      TwinFeature(1, 2, 3), TwinFeature(2, 2, 3), TwinFeature(3, 8, 8),
    ])
    let plain = await post(#""limit":10"#, to: service)
    for fields in [
      #""method":"grid""#, #""epsilon":512"#, #""markerSize":[1,2048]"#, #""priorityBy":"x""#,
      #""clusterBy":"x""#, #""aggregate":{}"#, #""filter":"absent IS NULL""#,
      #""method":null,"epsilon":null,"markerSize":null,"priorityBy":null,"clusterBy":null"#,
      #""weightBy":null,"groupBy":null,"groups":null,"countBy":null,"aggregate":null"#,
      #""filter":null,"previous":null"#,
    ] {
      let answer = await post(fields, to: service)
      #expect(answer.status == 200, "\(fields): \(answer.text)")
      let bare = answer.annotations.map { $0.without(["aggregates"]) }
      #expect(bare == plain.annotations, "\(fields)")
    }
    let answer = await post(
      #""weightBy":"x","countBy":"x","groupBy":"x","aggregate":{"m":["mean","x"]}"#, to: service)
    for one in answer.annotations {
      #expect(one["weight"]?.double == 0 && one["group"] == .null)
      #expect(one["counts"] == .object([.init("null", .number(String(one.count)))]))
      #expect(one["otherCount"] == 0 && one["aggregates"] == ["m": .null])
    }
    #expect(answer.annotations.map(\.count) == plain.annotations.map(\.count))
  }

  @Test func `pins take the fields of a viewport without effect`() async throws {
    let service = try await Service([TwinFeature(1, 2, 3, "{\"k\":1}"), TwinFeature(2, 2, 3)])
    let plain = await service.post("/collections/c/pins", #"{"bbox":[0,0,9,9]}"#)
    let body =
      #"{"bbox":[0,0,9,9],"zoom":3,"method":"collision","groupBy":"k","weightBy":"k","countBy":"k","#
      + #""aggregate":{"a":["sum","k"]},"epsilon":5,"markerSize":[9,9],"priorityBy":"k","#
      + #""clusterBy":"k","previous":[]}"#
    let same = await service.post("/collections/c/pins", body)
    #expect(same.status == 200 && same.text == plain.text, "\(same.text)")
    let filtered = await service.post("/collections/c/pins", #"{"bbox":[0,0,9,9],"filter":"k=1"}"#)
    #expect(filtered["featureCount"]?.int == 1)
    // The other no longer shares its coordinate with anybody.
    #expect(filtered["pins"]?[0]?["contested"]?.int == 1)
  }

  @Test(arguments: [0x1p-1070, 1e-303, 1e-280, 1, 1e300])
  func `a mean is as right with the smallest weights`(_ unit: Double) async throws {
    let service = try await Service([
      TwinFeature(1, 10, 50, "{\"v\":\(unit * 2)}"), TwinFeature(2, 20, 40, "{\"v\":\(unit * 6)}"),
      TwinFeature(3, 15, 45),
    ])
    let answer = await service.get(
      "/collections/c/clusters?bbox=0,0,90,60&zoom=0&marginFactor=0&weightBy=v")
    let coordinate = answer.annotations.first?["coordinate"]
    #expect(coordinate?["longitude"]?.double == 17.5, "\(answer.text)")
    #expect(coordinate?["latitude"]?.double == 42.5)
  }

  @Test func `only the hundred largest are counted one by one`() async throws {
    let service = try Service()
    // 150 values: the first 50 twice, so that of those that occur once 50 are listed.
    await service.store(
      (0..<200).map { TwinFeature($0, 5, 5, "{\"k\":\"v\(100 + $0 % 150)\"}") })
    let answer = await post(#""countBy":"k""#, to: service)
    let counts = answer.annotations.first?["counts"]?.members ?? []
    #expect(counts.map(\.key) == (100..<200).map { "v\($0)" })
    #expect(counts.compactMap(\.value.int) == (0..<100).map { $0 < 50 ? 2 : 1 })
    #expect(answer.annotations.first?["otherCount"]?.int == 50)
  }

  @Test func `numbers are keyed by their canonical form`() async throws {
    let service = try Service()
    let texts = [
      ("1.0", "1"), ("-0.0", "0"), ("1e21", "1e+21"), ("1e20", "100000000000000000000"),
      ("0.000001", "0.000001"), ("0.0000001", "1e-7"),
      ("123456789012345678901", "123456789012345680000"),
      ("-1.50e2", "-150"), ("1.7976931348623157e308", "1.7976931348623157e+308"),
      ("5e-324", "5e-324"),
      ("0.1", "0.1"), ("9007199254740993", "9007199254740992"), ("1234.5678", "1234.5678"),
    ]
    await service.store(
      texts.enumerated().map { TwinFeature($0.offset, 5, 5, "{\"k\":\($0.element.0)}") })
    let answer = await post(#""groupBy":"k","minPoints":1"#, to: service)
    let groups = answer.annotations.compactMap { $0["group"]?.string }
    #expect(groups == texts.map(\.1).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    for (text, key) in texts {
      #expect(TwinKey(of: .number(text)) == TwinKey(key), "\(text)")
    }
  }
}
