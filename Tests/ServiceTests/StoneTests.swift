import TestSupport
import Testing

/// Thousands of features, many of which share a coordinate: each is returned once.
@Suite(.timeLimit(.minutes(5))) struct StoneTests {
  /// The data set if it is available, otherwise a synthetic one like it.
  private func stones() throws -> [TwinFeature] {
    if let stones = try Fixtures.berlinStones() { return stones }
    var generator = SeededGenerator(seed: 5105)
    var features: [TwinFeature] = []
    while features.count < 5105 {
      let (x, y) = (generator.double(13.1...13.7), generator.double(52.4...52.65))
      for _ in 0..<min(generator.int(1...5), 5105 - features.count) {
        features.append(TwinFeature(features.count + 1, x, y, "{\"name\":\"made up\"}"))
      }
    }
    return features
  }

  @Test func everyStoneIsAPinOnce() throws {
    let stones = try stones()
    let server = try ServerProcess.holding(stones, in: "stones")
    let answer = try server.json(
      "/collections/stones/pins?bbox=12,51,15,54&limit=10000&properties=none")
    let pins = answer["pins"]?.array ?? []
    #expect(pins.count == stones.count)
    let expected = try Twin(stones).pins(
      .bbox(west: 12, south: 51, east: 15, north: 54), limit: 10_000)
    #expect(pins.map { $0["id"] ?? .null } == expected.map(\.feature.idJSON))
    for (pin, want) in zip(pins, expected) {
      #expect(pin.isCoordinate(of: want.coordinate, within: 1e-8))
      #expect(pin.isCoordinate(of: want.feature.coordinate, named: "originalCoordinate"))
      #expect(pin["contested"]?.int == want.contested)
    }
    // Features that share a coordinate are drawn apart.
    let drawn = Set(pins.map { $0["coordinate"]?.text ?? "" })
    #expect(drawn.count == stones.count)
    let places = Set(stones.map(\.coordinate)).count
    #expect(places < stones.count)
    #expect(Set(pins.map { $0["originalCoordinate"]?.text ?? "" }).count == places)
  }

  @Test func theLinksLeadToEveryStoneOnce() throws {
    let stones = try stones()
    let server = try ServerProcess.holding(stones, in: "stones")
    var ids: [TestJSON] = []
    var next: String? = "/collections/stones/items?limit=999&bbox=12,51,15,54"
    for _ in 0..<7 {
      guard let path = next else { break }
      let page = try server.json(path)
      #expect(page["numberMatched"]?.int == stones.count)
      ids += (page["features"]?.array ?? []).map { $0["id"] ?? .null }
      next = (page["links"]?.array ?? []).first { $0["rel"] == "next" }?["href"]?.string
    }
    #expect(next == nil)
    #expect(ids == Twin(stones).features.map(\.idJSON))
  }

  @Test func declusteredStonesAreTheirPins() throws {
    let stones = try stones()
    let server = try ServerProcess.holding(stones, in: "stones")
    let twin = Twin(stones)
    var generator = SeededGenerator(seed: 5106)
    for round in 0..<40 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.decluster = true
      request.minUniqueLocationsForClustering = generator.pick([0, 2, 4])
      let answer = try server.client.post("/collections/stones/clusters", request.json)
      do throws(TwinRefusal) {
        let differences = try twin.cluster(request).differences(from: answer.value)
        #expect(differences.isEmpty, "round \(round): \(request.json.text)")
      } catch {
        #expect(answer.fault(status: 422) == nil, "round \(round)")
      }
    }
  }
}
