import ClusterCore
import TestSupport
import Testing

/// S_DWITHIN: all else is as if only the features in reach existed.
@Suite(.timeLimit(.minutes(10))) struct DistanceFilterTests {
  @Test(arguments: Seeds.each(831...832))
  func `what is in reach, also with other conditions`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let places = TwinGlobe.places(1500, using: &generator)
    let features = places.enumerated().map {
      TwinFeature(
        id: FeatureID(known: $0.offset), coordinate: $0.element,
        properties: "{\"k\":\($0.offset % 5)}")
    }
    let service = try await Service(features)
    for round in 0..<8 {
      let centre = generator.pick(places)
      let metres = TwinGlobe.radius(around: centre, apartFrom: places, using: &generator)
      func holds(_ feature: TwinFeature) -> Bool {
        TwinGlobe.metres(centre, feature.coordinate) <= metres + 1e-6
      }
      let point = "\(centre.longitude) \(centre.latitude)"
      let spatial = "S_DWITHIN(geometry, POINT(\(point)), \(metres))"
      let json =
        #"{"op":"s_dwithin","args":[{"type":"Point","coordinates":[\#(centre.longitude),\#(centre.latitude)]},"#
        + #"{"property":"geometry"},\#(metres)]}"#
      let cases: [(String, (TwinFeature) -> Bool)] = [
        (spatial, holds),
        ("\(spatial) AND k < 3", { holds($0) && ($0.property("k")?.int ?? 9) < 3 }),
        ("NOT \(spatial)", { !holds($0) }),
        ("\(spatial) OR k = 4", { holds($0) || $0.property("k")?.int == 4 }),
      ]
      let (text, passes) = cases[round % cases.count]
      await service.expect(
        text, json: round % cases.count == 0 ? json : nil, gives: features.filter(passes),
        in: "only\(round)",
        views: [
          #""bbox":[-180,-90,180,90],"zoom":1"#, #""bbox":[150,-90,-150,90],"zoom":3"#,
          #""bbox":[-180,-90,180,90],"zoom":0,"groupBy":"k","countBy":"k""#,
        ], list: "limit=2000")
    }
  }
}
