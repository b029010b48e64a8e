import TestSupport
import Testing

/// `temporal` and `datetime` against what each feature's own time says.
@Suite(.timeLimit(.minutes(10))) struct TimeTests {
  /// A time as text, and its first and last millisecond after 2020-01-01.
  private struct Time {
    var text: String
    var first: Int
    var last: Int

    /// An hour or a whole day of January 2020.
    static func random(_ generator: inout SeededGenerator) -> Time {
      let day = generator.int(1...28)
      let name = "2020-01-\(day < 10 ? "0" : "")\(day)"
      let start = (day - 1) * 86_400_000
      if generator.chance(0.4) { return Time(text: name, first: start, last: start + 86_399_999) }
      let hour = generator.int(0...23)
      let instant = start + hour * 3_600_000
      let clock = "T\(hour < 10 ? "0" : "")\(hour):00:00"
      return Time(
        text: name + clock + generator.pick(["Z", "+00:00", ".000Z"]), first: instant, last: instant
      )
    }
  }

  private struct Entry {
    var feature: TwinFeature
    var start: Time?
    var end: Time?
  }

  private func entries(_ generator: inout SeededGenerator) -> [Entry] {
    (0..<300).map { id in
      var (members, start, end): ([TestJSON.Member], Time?, Time?) = ([], nil, nil)
      if generator.chance(0.8) { start = .random(&generator) }
      if generator.chance(0.8) { end = .random(&generator) }
      members.append(
        .init("s", start.map { .string($0.text) } ?? generator.pick([.null, 5, "soon"])))
      if let end { members.append(.init("e", .string(end.text))) }
      let feature = TwinFeature(
        id, Double(generator.int(-20...20)), Double(generator.int(-20...20)),
        TestJSON.object(members).text)
      return Entry(feature: feature, start: start, end: end)
    }
  }

  /// A span as text, and its ends.
  private func span(_ generator: inout SeededGenerator) -> (String, Int, Int) {
    var (a, b) = (Time.random(&generator), Time.random(&generator))
    if a.first > b.last { swap(&a, &b) }
    switch generator.int(0...4) {
    case 0: return (a.text, a.first, a.last)
    case 1: return (generator.pick(["../", "/"]) + b.text, .min, b.last)
    case 2: return (a.text + generator.pick(["/..", "/"]), a.first, .max)
    default: return ("\(a.text)/\(b.text)", a.first, b.last)
    }
  }

  @Test(arguments: [false, true])
  func `datetime leaves in what overlaps it and what has no time`(hasEnds: Bool) async throws {
    var generator = SeededGenerator(seed: hasEnds ? 41 : 42)
    let service = try Service()
    let entries = entries(&generator)
    await service.store(entries.map(\.feature))
    #expect(await matched("2020-01-03", service) == entries.count)
    let temporal = hasEnds ? #"{"start":"s","end":"e"}"# : #"{"property":"s"}"#
    let answer = await service.send(
      .put, "/collections/c", #"{"temporal":\#(temporal)}"#, type: "application/json")
    #expect(answer["temporal"]?.text == temporal)
    for _ in 0..<20 {
      let (text, first, last) = span(&generator)
      let passing = entries.filter { entry in
        guard hasEnds else {
          return entry.start.map { $0.first <= last && $0.last >= first } ?? true
        }
        return (entry.start.map { $0.first <= last } ?? true)
          && (entry.end.map { $0.last >= first } ?? true)
      }
      #expect(await matched(text, service) == passing.count, "\(text)")
      let view = await service.post(
        "/collections/c/clusters",
        #"{"bbox":[-180,-85,180,85],"zoom":2,"datetime":"\#(text)","filter":"s IS NOT NULL"}"#)
      let strings = passing.count { $0.feature.property("s").map { !$0.isNull } ?? false }
      #expect(view["featureCount"]?.int == strings, "\(text)")
      let pins = await service.post(
        "/collections/c/pins", #"{"bbox":[-10,-10,10,10],"marginFactor":0,"datetime":"\#(text)"}"#)
      let near = passing.count {
        let place = $0.feature.coordinate
        return place.longitude >= -10 && place.longitude < 10 && place.latitude > -10
          && place.latitude <= 10
      }
      #expect(pins["featureCount"]?.int == near, "\(text)")
    }
  }

  private func matched(_ datetime: String, _ service: Service) async -> Int? {
    let text = TwinRequest.percentEncoded(datetime)
    return (await service.get("/collections/c/items?limit=0&datetime=\(text)"))["numberMatched"]?
      .int
  }

  @Test func `a collection tells when its features are, also after a restart`() async throws {
    let service = try Service()
    let put = #"{"temporal":{"property":"t"}}"#
    #expect(await service.send(.put, "/collections/c", put, type: "application/json").status == 201)
    func interval(_ service: Service) async -> String? {
      (await service.get("/collections/c")).json["extent"]?["temporal"]?["interval"]?.text
    }
    #expect(await interval(service) == "[[null,null]]")
    await service.store([
      TwinFeature(1, 0, 0, #"{"t":"2020-03-01T12:00:00.5+01:00"}"#),
      TwinFeature(2, 1, 0, #"{"t":"2021-12-31"}"#), TwinFeature(3, 2, 0, #"{"t":"no"}"#),
    ])
    let both = #"[["2020-03-01T11:00:00.500Z","2021-12-31T23:59:59.999Z"]]"#
    #expect(await interval(service) == both)
    let list = await service.get("/collections")
    #expect(list["collections"]?[0]?["extent"]?["temporal"]?["interval"]?.text == both)
    service.writer.close()
    let again = try Service(of: service.directory)
    #expect(await interval(again) == both)
    #expect(await matched("2022-01-01/..", again) == 1)
    // The last of the features with such a time goes.
    #expect(await again.send(.delete, "/collections/c/items/2").status == 204)
    #expect(await interval(again) == #"[["2020-03-01T11:00:00.500Z","2020-03-01T11:00:00.500Z"]]"#)
    let cleared = await again.send(
      .put, "/collections/c", #"{"temporal":null}"#, type: "application/json")
    #expect(cleared.status == 200 && cleared["temporal"] == nil)
    #expect(cleared.json["extent"]?["temporal"] == nil)
    #expect(await matched("2022-01-01/..", again) == 2)
  }

  /// So many that their times are read away from the event loops, and by nobody twice.
  @Test func `many features get times`() async throws {
    let service = try await Service(
      (0..<6000).map { TwinFeature($0, 0, 0, "{\"t\":\"20\(10 + $0 % 90)-01-01\"}") })
    let put = await service.send(
      .put, "/collections/c", #"{"temporal":{"property":"t"}}"#, type: "application/json")
    let interval = #"[["2010-01-01T00:00:00Z","2099-01-01T23:59:59.999Z"]]"#
    #expect(put.json["extent"]?["temporal"]?["interval"]?.text == interval)
    service.writer.close()
    let again = try Service(of: service.directory)
    let read = await again.get("/collections/c")
    #expect(read.json["extent"]?["temporal"]?["interval"]?.text == interval)
    #expect(await matched("2050-01-01", again) == 6000 / 90 + 1)
  }

  @Test func `deletions by time`() async throws {
    let service = try await Service(
      (1...9).map { TwinFeature($0, 0, 0, "{\"t\":\"2020-01-0\($0)\"}") })
    (await service.send(.delete, "/collections/c/items?datetime=2020-01-03"))
      .expectProblem(422, at: "datetime")
    _ = await service.send(
      .put, "/collections/c", #"{"temporal":{"property":"t"}}"#, type: "application/json")
    let answer = await service.send(.delete, "/collections/c/items?datetime=../2020-01-03")
    #expect(answer["deleted"]?.int == 3)
    #expect((await service.get("/collections/c/items")).ids == ["4", "5", "6", "7", "8", "9"])
  }

  @Test(
    arguments: [
      ("soon", 400), ("2020", 400), ("2020-01-01/2020-01-02/2020-01-03", 400), ("", 400),
      ("2020-01-02/2020-01-01", 422), ("1000000000-01-01", 400), ("2020-02-30", 400),
      ("2020-01-01T00:00:00", 400),
    ])
  func `a bad datetime`(text: String, status: Int) async throws {
    let service = try await Service([TwinFeature(1, 0, 0)])
    let query = TwinRequest.percentEncoded(text)
    (await service.get("/collections/c/items?datetime=\(query)"))
      .expectProblem(status, at: "datetime", text)
    (await service.post(
      "/collections/c/clusters", #"{"bbox":[0,0,9,9],"zoom":3,"datetime":"\#(text)"}"#))
      .expectProblem(status, at: "/datetime", text)
  }

  @Test(
    arguments: [
      (#"{}"#, 400), (#"{"start":"a"}"#, 400), (#"{"property":"a","start":"b","end":"c"}"#, 400),
      (#"{"property":5}"#, 400), (#""a""#, 400), (#"{"x":"a"}"#, 400),
      ("{\"property\":\"\(String(repeating: "x", count: 1001))\"}", 422),
    ])
  func `bad temporal properties`(json: String, status: Int) async throws {
    let service = try Service()
    (await service.send(
      .put, "/collections/c", "{\"temporal\":\(json)}", type: "application/json"))
      .expectProblem(status, at: "/temporal", json)
  }

  /// Bins by the definition, one after the other.
  @Test func `histograms count what is in each bin`() async throws {
    var generator = SeededGenerator(seed: 43)
    let service = try Service()
    let features = (0..<400).map { id -> TwinFeature in
      let value: TestJSON = generator.pick([
        .number(String(generator.int(-20...20))), .number("\(generator.double(-5...25))"), "x",
        .null,
      ])
      return TwinFeature(
        id, Double(generator.int(-9...9)), Double(generator.int(-9...9)),
        TestJSON.object([.init("n", value), .init("k", .number(String(id % 3)))]).text)
    }
    await service.store(features)
    for round in 0..<30 {
      let bins = generator.pick([1, 2, 7, 40, 200])
      let range: (Double, Double)? = round % 3 == 0 ? nil : (Double(generator.int(-20...5)), 10.5)
      let asked = range.map { #","range":[\#($0.0),\#($0.1)]"# } ?? ""
      let answer = await service.post(
        "/collections/c/clusters",
        #"{"bbox":[-180,-85,180,85],"zoom":2,"filter":"k < 2","method":"\#(generator.pick(["grid", "distance"]))","histogram":{"property":"n","bins":\#(bins)\#(asked)}}"#
      )
      let values = features.filter { $0.property("k")?.int != 2 }.map { $0.property("n")?.double }
      let numbers = values.compactMap(\.self)
      let (from, to) = range ?? (numbers.min() ?? 0, numbers.max() ?? 0)
      let counts = (0..<bins).map { bin in
        numbers.count { number in
          let start = from + (to - from) * (Double(bin) / Double(bins))
          let end = from + (to - from) * (Double(bin + 1) / Double(bins))
          return bin == bins - 1 ? number >= start && number <= to : number >= start && number < end
        }
      }
      let histogram = answer["histogram"]
      #expect(histogram?["counts"]?.array?.map { $0.int ?? -1 } == counts, "\(bins) \(from) \(to)")
      #expect(histogram?["missing"]?.int == values.count - numbers.count)
      #expect(histogram?["from"]?.double == from && histogram?["to"]?.double == to)
    }
  }

  @Test func `histograms of times, and bad ones`() async throws {
    let service = try Service()
    _ = await service.send(
      .put, "/collections/c", #"{"temporal":{"property":"t"}}"#, type: "application/json")
    await service.store((1...9).map { TwinFeature($0, 0, 0, "{\"t\":\"2020-01-0\($0)\"}") })
    func ask(_ histogram: String) async -> Answer {
      await service.post(
        "/collections/c/clusters", "{\"bbox\":[-1,-1,1,1],\"zoom\":3,\"histogram\":\(histogram)}")
    }
    let whole = await ask(#"{"property":"t","bins":2}"#)
    #expect(
      whole["histogram"]?.text
        == #"{"from":"2020-01-01T00:00:00Z","to":"2020-01-09T00:00:00Z","counts":[4,5],"missing":0}"#
    )
    let part = await ask(#"{"property":"t","bins":3,"range":["2020-01-02","2020-01-04"]}"#)
    #expect(part["histogram"]?["counts"]?.text == "[1,1,1]")
    let none = await ask(#"{"property":"u","bins":3}"#)
    #expect(
      none["histogram"]?.text == #"{"from":null,"to":null,"counts":[0,0,0],"missing":9}"#)
    for (text, status) in [
      (#"{"property":"t"}"#, 400), (#"{"bins":3}"#, 400), (#"{"property":"t","bins":0}"#, 422),
      (#"{"property":"t","bins":201}"#, 422), (#"{"property":"t","bins":1e9}"#, 422),
      (#"{"property":"t","bins":2.5}"#, 400), (#"{"property":"t","bins":2,"range":[1]}"#, 400),
      (#"{"property":"t","bins":2,"range":[1,2]}"#, 422),
      (#"{"property":"u","bins":2,"range":["2020-01-01","2020-01-02"]}"#, 422),
      (#"{"property":"u","bins":2,"range":[2,2]}"#, 422),
      (#"{"property":"u","bins":2,"range":[2,"2020-01-01"]}"#, 400), ("5", 400),
    ] {
      (await ask(text)).expectProblem(status, at: "/histogram", text)
    }
  }
}
