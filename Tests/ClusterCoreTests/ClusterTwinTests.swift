import TestSupport
import Testing

@testable import ClusterCore

/// Random requests against the brute-force twin.
@Suite(.timeLimit(.minutes(5))) struct ClusterTwinTests {
  @Test(arguments: Dataset.allCases, Seeds.each(11...12))
  func `clusters are those of the twin`(data: Dataset, seed: UInt64) throws {
    let features = data.features(seed: seed, count: 600)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: seed * 1000)
    var (answered, refused) = (0, 0)
    for round in 0..<60 {
      let request = TwinRequest.random(over: twin, using: &generator)
      let comment: Comment = "\(data), seed \(seed), round \(round): \(request.json.text)"
      switch check(request, index, twin) {
      case .answer(let differences):
        answered += 1
        #expect(differences == [], comment)
      case .refused(let trouble):
        refused += 1
        if !trouble.isEmpty { Issue.record("\(trouble) — \(comment)") }
      }
    }
    // A twin that refuses everything would agree with anything.
    #expect(answered > 30, "\(answered) answered, \(refused) refused")
  }

  @Test func `clusters of the real cities are those of the twin`() throws {
    let features = try #require(try Fixtures.cities())
    try expectAgreement(features, seed: 21, rounds: 12)
  }

  @Test(
    .enabled(
      if: Fixtures.path(named: "berlin-stones.geojson") != nil,
      "PINCLUSTER_TEST_DATA names no folder with berlin-stones.geojson"))
  func `clusters of Berlin's stones are those of the twin`() throws {
    try expectAgreement(try #require(try Fixtures.berlinStones()), seed: 22, rounds: 30)
  }

  private func expectAgreement(_ features: [TwinFeature], seed: UInt64, rounds: Int) throws {
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    #expect(index.ids == twin.features.map(\.id))
    var generator = SeededGenerator(seed: seed)
    for round in 0..<rounds {
      let request = TwinRequest.random(over: twin, using: &generator)
      if case .answer(let differences) = check(request, index, twin) {
        #expect(differences == [], "round \(round): \(request.json.text)")
      }
    }
  }

  /// The differences of two answers, or what is odd about a refusal: "" where both refuse alike.
  private func check(
    _ request: TwinRequest, _ index: FeatureIndex, _ twin: Twin
  ) -> Outcome<[String]> {
    let wanted: Result<TwinAnswer, TwinRefusal> = Result { () throws(TwinRefusal) in
      try twin.cluster(request)
    }
    let got = Outcome { () -> (Viewport, ClusterResult) in
      let viewport = try request.viewport()
      let settings = request.settings
      try settings.validate()
      return (viewport, try index.clusters(in: viewport, settings: settings, limit: request.limit))
    }
    switch (wanted, got) {
    case (.success(let answer), .answer(let (viewport, result))):
      return .answer(answer.differences(from: result, viewport, of: index))
    case (.failure(let refusal), .refused(let field)):
      return .refused(refusal.fields.contains(field) ? "" : "\(refusal) blamed on \(field)")
    case (.failure(let refusal), .answer): return .refused("\(refusal) was not refused")
    case (.success, .refused(let field)): return .refused("refused because of \(field)")
    }
  }

  @Test func `of features as near to the centre the first counts`() throws {
    // Quarters of the world are exact in map points: all four are as far from the centre.
    let index = try FeatureIndex.of([
      TwinFeature(4, 45, 0), TwinFeature(3, -45, 0), TwinFeature(2, -45, 0), TwinFeature(1, 45, 0),
      TwinFeature(0, 120, 60),
    ])
    var request = TwinRequest(.bbox(west: -180, south: -85, east: 180, north: 85), .zoom(0))
    (request.cellSize, request.clusterer) = (256, .nearCenter)
    let result = try index.clusters(
      in: request.viewport(), settings: request.settings, limit: 10)
    #expect(result.annotations.map(\.count) == [5])
    #expect(result.annotations.first?.coordinate == Coordinate(latitude: 0, longitude: -45))
  }

  @Test(arguments: Dataset.allCases)
  func `every feature of the grid is in exactly one annotation`(data: Dataset) throws {
    let features = data.features(seed: 31)
    let (index, twin) = (try FeatureIndex.of(features), Twin(features))
    var generator = SeededGenerator(seed: 31)
    for _ in 0..<30 {
      var request = TwinRequest.random(over: twin, using: &generator)
      request.limit = 10_000
      guard let viewport = try? request.viewport(),
        let result = try? index.clusters(
          in: viewport, settings: request.settings, limit: request.limit)
      else { continue }
      var ordinals: [Int] = []
      for annotation in result.annotations {
        result.forEachFeature(of: annotation) {
          ordinals.append($0)
          return true
        }
      }
      #expect(Set(ordinals).count == ordinals.count && ordinals.count == result.featureCount)
      #expect(result.annotations.reduce(0) { $0 + $1.count } == result.featureCount)
      let counts = FeatureScope(index).countsByCell(viewport.cells)
      #expect(counts.reduce(0) { $0 + $1.count } == result.featureCount)
    }
  }
}
