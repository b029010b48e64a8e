import TestSupport
import Testing

/// The service's answers about real data equal those of brute force.
@Suite(.timeLimit(.minutes(5))) struct AnswerTests {
  /// A running server with the cities, imported by the command.
  private func cities() throws -> (server: ServerProcess, twin: Twin) {
    let features = try #require(try Fixtures.cities())
    let file = try #require(Fixtures.path(named: "cities15000.csv"))
    let data = try TemporaryDirectory()
    let run = try Tool(["import", file, "--collection", "cities", "--data", data.path])
      .expectSuccess()
    #expect(run.output.contains("\(features.count) inserted"), "\(run.output)")
    return (try ServerProcess.ready(data: data), Twin(features))
  }

  @Test func viewportsOfTheCities() throws {
    let (server, twin) = try cities()
    let client = try server.client.connect()
    var generator = SeededGenerator(seed: 20_241)
    var kinds: [Int: Int] = [:]
    for round in 0..<120 {
      let request = TwinRequest.random(over: twin, using: &generator)
      let answer = try client.send(
        "POST", "/collections/cities/clusters", json: request.json.text)
      kinds[answer.status, default: 0] += 1
      do throws(TwinRefusal) {
        let expected = try twin.cluster(request)
        let differences = expected.differences(from: answer.value)
        #expect(differences.isEmpty, "round \(round): \(request.json.text)")
      } catch {
        #expect(answer.fault(status: 422) == nil, "round \(round), \(error): \(request.json.text)")
      }
      let get = try client.send("GET", "/collections/cities/clusters?" + request.query)
      #expect(get.status == answer.status, "round \(round): \(request.query)")
      if answer.status == 200 { #expect(get.body == answer.body, "round \(round)") }
    }
    #expect(kinds[200, default: 0] > 60, "too few of the requests could be answered: \(kinds)")
    server.expectHealthy()
  }

  @Test func countsAndItemsOfTheCities() throws {
    let (server, twin) = try cities()
    let client = try server.client.connect()
    var generator = SeededGenerator(seed: 20_242)
    for round in 0..<150 {
      let (west, south) = (generator.double(-200...180), generator.double(-90...80))
      var east = west + generator.double(0...1) * generator.pick([1, 20, 200, 400])
      if round % 3 == 0, east - west < 360, east > 180 { east -= 360 }
      let north = generator.chance(0.1) ? 90 : generator.double(south...90)
      let expected = twin.items(west: west, south: south, east: east, north: north)
      let path = "/collections/cities/items?bbox=\(west),\(south),\(east),\(north)&limit="
      let counted = try client.send("GET", path + "0").value
      #expect(counted["numberMatched"]?.int == expected.count, "\(path)")
      #expect(counted["features"] == .array([]), "\(path)")
      let limit = generator.int(1...50)
      let listed = try client.send("GET", path + "\(limit)").value
      let ids = (listed["features"]?.array ?? []).map { $0["id"] ?? .null }
      #expect(ids == expected.prefix(limit).map(\.idJSON), "\(path)\(limit)")
      let hasNext = (listed["links"]?.array ?? []).contains { $0["rel"] == "next" }
      #expect(hasNext == (expected.count > limit), "\(path)\(limit)")
    }
  }

  @Test func pinsOfTheCitiesCarryThem() throws {
    let (server, twin) = try cities()
    let client = try server.client.connect()
    var generator = SeededGenerator(seed: 20_243)
    for round in 0..<60 {
      let request = TwinRequest.random(over: twin, using: &generator)
      var body = request
      body.limit = 10_000
      let answer = try client.send("POST", "/collections/cities/pins", json: body.json.text)
      // Without a limit in the body, the default for pins is 1000.
      let expected = try? twin.pins(
        request.rect, marginFactor: request.marginFactor,
        distance: request.distanceFromContestedLocation, limit: 1000)
      guard let expected else {
        #expect(answer.fault(status: 422, pointer: "/limit") == nil, "round \(round)")
        continue
      }
      let pins = answer.value["pins"]?.array ?? []
      #expect(answer.value["featureCount"]?.int == expected.count, "round \(round)")
      #expect(pins.map { $0["id"] ?? .null } == expected.map(\.feature.idJSON), "round \(round)")
      for (pin, want) in zip(pins, expected) {
        #expect(pin.isCoordinate(of: want.coordinate, within: 1e-8))
        #expect(pin["contested"]?.int == want.contested)
        #expect(pin["feature"]?["properties"]?.text == want.feature.properties)
      }
    }
  }
}
