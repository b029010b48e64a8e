import ClusterCore
import TestSupport
import Testing

/// What a viewport request answers.
@Suite(.timeLimit(.minutes(10))) struct ViewAnswerTests {
  @Test(arguments: Seeds.each(201...203))
  func `random requests are answered as by the twin, by POST and GET alike`(seed: UInt64)
    async throws
  {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = TwinFeature.mixed(600, using: &generator)
    await service.store(features)
    let twin = Twin(features)
    var answered = 0
    for round in 0..<60 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.debug = generator.chance(0.1)
      let comment: Comment = "seed \(seed), round \(round): \(request.json.text)"
      let answer = await service.post("/collections/c/clusters", request.json.text)
      let get = await service.get("/collections/c/clusters?\(request.query)")
      #expect(get.status == answer.status, comment)
      do throws(TwinRefusal) {
        let wanted = try twin.cluster(request)
        #expect(answer.status == 200, comment)
        #expect(wanted.differences(from: answer.json) == [], comment)
        #expect(get.text == answer.text, comment)
        answered += 1
        if request.debug { checkGrid(answer, wanted, comment) }
      } catch {
        answer.expectProblem(422, at: nil, "\(comment)")
        #expect(!error.pointers.isDisjoint(with: answer.pointers), comment)
      }
    }
    #expect(answered > 30)
  }

  /// The cells of the debug grid, empty ones included, hold what the answer holds.
  private func checkGrid(_ answer: Answer, _ wanted: TwinAnswer, _ comment: Comment) {
    let cells = answer["grid"]?["features"]?.array ?? []
    #expect(cells.count == wanted.grid.columns * wanted.grid.rows.count, comment)
    var counts: [TwinCell: Int] = [:]
    for cell in cells {
      guard let properties = cell["properties"], let row = properties["row"]?.int,
        let column = properties["column"]?.int, let count = properties["count"]?.int
      else {
        Issue.record("\(cell.text)")
        continue
      }
      #expect(wanted.grid.contains(TwinCell(row: row, column: column)))
      if count > 0 { counts[TwinCell(row: row, column: column)] = count }
      let ring = cell["geometry"]?["coordinates"]?[0]?.array ?? []
      #expect(ring.count == 5 && ring.first == ring.last)
    }
    #expect(counts == wanted.cellCounts, comment)
    #expect(counts.values.reduce(0, +) == answer["featureCount"]?.int, comment)
  }

  @Test(arguments: Seeds.each(204...205))
  func `random pins are those of the twin`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let service = try Service()
    let features = TwinFeature.mixed(400, using: &generator)
    await service.store(features)
    let twin = Twin(features)
    for _ in 0..<25 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.limit = 10_000
      // Fields of the viewport are accepted without effect: one body serves both.
      let answer = await service.post("/collections/c/pins", request.json.text)
      let wanted = try twin.pins(
        request.rect, marginFactor: request.marginFactor,
        distance: request.distanceFromContestedLocation,
        limit: request.json["limit"] == nil ? 1000 : 10_000)
      #expect(answer.status == 200 && answer["featureCount"]?.int == wanted.count)
      let pins = answer["pins"]?.array ?? []
      #expect(pins.map { $0["id"] } == wanted.map { $0.feature.idJSON })
      for (pin, want) in zip(pins, wanted) {
        #expect(pin["contested"]?.int == want.contested)
        #expect(pin.isCoordinate(of: want.feature.coordinate, named: "originalCoordinate"))
        #expect(
          pin.isCoordinate(of: want.coordinate, within: want.contested == 1 ? 0 : 1e-8)
            || want.coordinate.longitude.magnitude > 179)
        #expect(pin["feature"]?["properties"]?.text == want.feature.properties)
      }
    }
  }
}
