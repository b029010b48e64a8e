import ClusterCore

/// The kinds of data that statements about sections 6 to 8 are tried on.
public enum TwinDataset: String, CaseIterable, Sendable {
  /// Evenly over the world.
  case world
  /// In towns.
  case cities
  /// Many at few coordinates.
  case coincident
  /// On the lines of grids.
  case gridLines
  /// The poles and the antimeridian.
  case edges
  /// Several to a location.
  case insideLocations
  /// About the antimeridian.
  case antimeridian
  /// Some of everything.
  case mixed

  /// Its features, the same ones for the same seed, with properties of every type.
  public func features(seed: UInt64, count: Int) -> [TwinFeature] {
    var generator = SeededGenerator(seed: seed)
    return features(count, using: &generator).map { one in
      var feature = one
      feature.properties = TwinDataset.properties(of: one, using: &generator)
      return feature
    }
  }

  private func features(_ count: Int, using generator: inout SeededGenerator) -> [TwinFeature] {
    switch self {
    case .world: return TwinFeature.world(count, using: &generator)
    case .cities: return TwinFeature.cities(count, towns: 12, using: &generator)
    case .coincident:
      let here = Coordinate(latitude: 52.517729, longitude: 13.3937395)
      return TwinFeature.coincident(count / 2, at: here)
        + (0..<count / 4).map { TwinFeature(5000 + $0, 180, 0) }
        + TwinFeature.cities(count / 4, towns: 3, firstID: 9000, using: &generator)
    case .gridLines: return TwinFeature.onGridLines(level: 5, count: count)
    case .edges: return TwinFeature.edges()
    case .insideLocations:
      return TwinFeature.insideLocations(clusters: count / 6, each: 6, using: &generator)
    case .antimeridian:
      return (0..<count).map { index in
        let longitude = 180 + generator.bell() * generator.pick([0.001, 1, 20])
        return TwinFeature(
          index + 1, longitude > 180 ? longitude - 360 : longitude, generator.double(-70...70))
      }
    case .mixed: return TwinFeature.mixed(count, using: &generator)
    }
  }

  /// Values of `country` as JSON text, some of which are the same key: 5, 5.0 and "5". The two é
  /// differ in their bytes only.
  public static let countries = [
    "\"DE\"", "\"DE\"", "\"DE\"", "\"FR\"", "\"FR\"", "\"US\"", "\"US\"", "\"O'Higgins\"",
    "\"a,b;c_%\"", "\"\"", "\"null\"", "null", "5", "5.0", "\"5\"", "1e21", "-0.0", "0",
    "12345678901234567890", "1.5e-7", "true", "[1,\"x\"]", "{\"a\":1.50}", "\"\u{E9}\"",
    "\"e\u{301}\"", "\"\u{65E5}\u{672C}\"", "\"\u{1F5FE}\"",
  ]

  private static let populations = ["null", "\"many\"", "-250", "1500.5", "true", "[7]", "0"]
  private static let priorities = ["1000", "1000", "1500", "-3", "0", "\"high\"", "null", "999.5"]
  private static let kinds = ["\"a\"", "\"a\"", "\"b\"", "null", "5", "\"5\"", "\"null\""]

  /// Properties of the names that random requests use; each is missing of some.
  private static func properties(
    of feature: TwinFeature, using generator: inout SeededGenerator
  ) -> String {
    var out = ["\"name\":\"no. \(feature.id)\""]
    func add(_ name: String, _ value: String) { out.append("\"\(name)\":\(value)") }
    if generator.chance(0.9) { add("country", generator.pick(countries)) }
    if generator.chance(0.9) {
      let whole = String(generator.int(0...2_000_000))
      add("population", generator.chance(0.2) ? generator.pick(populations) : whole)
    }
    // Tenths are no doubles: their sums show how they were added.
    if generator.chance(0.8) { add("share", "\(Double(generator.int(-50...400)) / 10)") }
    if generator.chance(0.8) {
      let whole = String(generator.int(0...5) * 200)
      add("rank", generator.chance(0.3) ? generator.pick(priorities) : whole)
    }
    if generator.chance(0.8) { add("kind", generator.pick(kinds)) }
    if generator.chance(0.5) { add("is open", generator.chance(0.5) ? "true" : "false") }
    return "{" + out.joined(separator: ",") + "}"
  }
}
