import TestSupport
import Testing

@testable import ClusterCore

/// Zooms rounded down to multiples of a step.
@Suite(.timeLimit(.minutes(5))) struct ZoomStepTests {
  @Test(arguments: TwinZoomStep.some)
  func `every thousandth is rounded as whole numbers have it`(step: TwinZoomStep) {
    let own = ZoomStep(step.value)
    for thousandth in -10_000...30_000 {
      let zoom = Double(thousandth) / 1000
      let (got, want) = (own.roundedDown(zoom), step.roundedDown(zoom))
      if (got - want).magnitude > 1e-12 || got > zoom + 1e-12 || zoom - got >= step.value {
        Issue.record("\(zoom) is \(got), not \(want)")
      }
      // Nothing is answered as −0, and decimals as they are written.
      if got == 0 { #expect(got.sign == .plus) }
      if step.value * 1000 == (step.value * 1000).rounded(), got != want {
        Issue.record("\(zoom) is \(got), not exactly \(want)")
      }
    }
  }

  @Test func `random steps round down to a multiple within a step`() {
    var generator = SeededGenerator(seed: 91)
    for _ in 0..<20_000 {
      let step = generator.double(0.001...1)
      let zoom = Double(generator.int(-10_000...30_000)) / 1000
      let got = ZoomStep(step).roundedDown(zoom)
      let multiples = got / step
      #expect((multiples - multiples.rounded()).magnitude < 1e-5, "\(zoom) by \(step)")
      #expect(got < zoom + 1e-8 && zoom - got < step + 1e-8, "\(zoom) by \(step)")
    }
  }

  @Test func `within a step cells and what thresholds make of them stay`() throws {
    let features = Dataset.allCases.flatMap { $0.features(seed: 92, count: 200) }
    let index = try FeatureIndex.of(features)
    var ids: [Double: Set<String>] = [:]
    for zoom in [4.0, 4.01, 4.02, 4.5, 4.999] {
      var request = TwinRequest(.bbox(west: -180, south: -85, east: 180, north: 85), .zoom(zoom))
      request.zoomStep = TwinZoomStep(1, 1)
      request.maxZoomLevelForClustering = 4.2
      let viewport = try request.viewport()
      #expect(viewport.zoomLevel == 4 && viewport.screenZoom == zoom)
      let result = try index.clusters(in: viewport, settings: request.settings, limit: 10_000)
      ids[zoom] = Set(result.annotations.map { result.layer(of: $0).id(of: $0, in: index).text })
    }
    #expect(ids[4]?.isEmpty == false && Set(ids.values).count == 1)
  }

  @Test(arguments: [0.3, 0.7, 1, 0.25])
  func `a zoom that an error names would do`(step: Double) throws {
    // So many features that no cell is large enough.
    let world = WebMercator.world
    for zoom in [17.0, 18.3, 20.9, 23.65] {
      func viewport(_ zoom: Double) throws(ImpossibleRequest) -> Viewport {
        try Viewport(
          rect: world, scale: .zoom(zoom), cellSize: 2048, marginFactor: 0,
          zoomStep: ZoomStep(step))
      }
      let error = try #require(throws: ImpossibleRequest.self) { try viewport(zoom) }
      let words = error.detail.split(separator: " ").map(String.init)
      let place = try #require(words.firstIndex(of: "by"))
      let lower = try #require(Double(words[place + 1]))
      _ = try viewport(zoom - lower)
    }
  }
}
