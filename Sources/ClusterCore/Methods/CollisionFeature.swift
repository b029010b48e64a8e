/// What the collision method asks of a feature, next to each other in memory: features are asked in
/// order of priority, hence all over it.
struct CollisionFeature: BitwiseCopyable {
  var position: Position
  var group: UInt32
  var key: UInt32

  static func gather(_ clusterer: CollisionClusterer) -> FixedArray<CollisionFeature>? {
    guard let keys = clusterer.clusterKeys else { return nil }
    let count = clusterer.points.count
    let features = FixedArray<CollisionFeature>(uninitialized: count)
    for place in 0..<count {
      features.pointer[place] = CollisionFeature(
        position: clusterer.points.position(at: place), group: clusterer.groups?[place] ?? 0,
        key: keys[place])
    }
    return features
  }
}
