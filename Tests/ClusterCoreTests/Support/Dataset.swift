@testable import ClusterCore
import TestSupport

/// The kinds of data that every property is tried on.
enum Dataset: String, CaseIterable, Sendable {
  case uniform, cities, coincident, gridLines, edges, insideLocations, crowdedLocations, mixed
  case antimeridian

  /// Its features, the same ones for the same seed.
  func features(seed: UInt64, count: Int = 900) -> [TwinFeature] {
    var generator = SeededGenerator(seed: seed)
    switch self {
    case .uniform: return TwinFeature.world(count, using: &generator)
    case .cities: return TwinFeature.cities(count, using: &generator)
    case .coincident:
      let stones = TwinFeature.coincident(
        count / 2, at: Coordinate(latitude: 52.517729, longitude: 13.3937395))
      return stones
        + TwinFeature.coincident(count / 4, at: Coordinate(latitude: 0, longitude: 180)).map {
          TwinFeature(
            id: FeatureID(known: "east \($0.id)"), coordinate: $0.coordinate,
            properties: $0.properties)
        }
    case .gridLines: return TwinFeature.onGridLines(level: 5, count: count)
    case .edges: return TwinFeature.edges()
    case .insideLocations:
      return TwinFeature.insideLocations(clusters: count / 6, each: 6, using: &generator)
    case .crowdedLocations:
      // More in one location than a leaf holds, so that nodes end inside of locations.
      return TwinFeature.insideLocations(clusters: 6, each: count / 6, using: &generator)
    case .mixed: return TwinFeature.mixed(count, using: &generator)
    case .antimeridian:
      return (0..<count).map { i in
        let longitude = 180 + generator.bell() * generator.pick([0.001, 1, 20])
        return TwinFeature(
          i + 1, longitude > 180 ? longitude - 360 : longitude, generator.double(-70...70),
          "{\"n\":\(i)}")
      }
    }
  }
}

extension FeatureBatch {
  /// A batch of these features, in this order.
  init(_ features: some Sequence<TwinFeature>) {
    self.init()
    for feature in features {
      Array((feature.properties ?? "{}").utf8).withUnsafeBytes { properties in
        append(
          id: feature.id, coordinate: feature.coordinate,
          further: UnsafeBufferPointer(start: nil, count: 0), properties: properties)
      }
    }
  }
}

extension IndexedCollection {
  /// The first version of a collection of these features; as ``FeatureIndex/of(_:)``.
  static func of(_ features: [TwinFeature]) throws -> IndexedCollection {
    IndexedCollection(try FeatureIndex.of(features))
  }

  /// The collection after one change.
  func applying(_ change: FeatureChange) throws -> IndexedCollection {
    try applying([change]).collection
  }
}

extension FeatureIndex {
  /// The index after one change.
  func applying(_ change: FeatureChange) throws -> FeatureIndex { try applying([change]).index }
}

extension FeatureScope {
  /// All features of a collection of which nothing else is known.
  init(_ index: FeatureIndex) { self.init(IndexedCollection(index)) }
}

extension FeatureIndex {
  /// The index of these features, in blocks of a size that depends on them: many small ones or few.
  static func of(_ features: [TwinFeature]) throws -> FeatureIndex {
    let bits = features.reduce(0) { ($0 ^ $1.coordinate.latitude.bitPattern) &* 0x9E37_79B9 }
    return try of(features, blockCapacity: [4, 9, 50, 1024][Int(bits >> 20 & 3)])
  }

  /// As above, in blocks of at most some features.
  static func of(_ features: [TwinFeature], blockCapacity: Int) throws -> FeatureIndex {
    try FeatureIndex(blockCapacity: blockCapacity).applying(.upsert(FeatureBatch(features)))
  }

  /// All ordinals, in index order.
  var ordinals: [Int] {
    var ordinals: [Int] = []
    points.forEachRun { ordinals += $0 }
    return ordinals
  }

  /// The feature with an ordinal, as the tests know it.
  func feature(at ordinal: Int) -> TwinFeature {
    let record = record(at: ordinal)
    return TwinFeature(
      id: record.id, coordinate: record.coordinate,
      properties: String(decoding: record.properties, as: UTF8.self))
  }

  /// What to draw in a viewport of all features.
  func clusters(
    in viewport: Viewport, settings: ClusterSettings, limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    try FeatureScope(self).clusters(ClusterRequest(viewport, settings: settings, limit: limit))
  }

  /// The ids in index order.
  var ids: [FeatureID] { ordinals.map { record(at: $0).id } }
}
