/// The properties of a feature that the collision method needs, together in memory because features are
/// accessed in order of priority, which is random in memory.
struct CollisionFeature: BitwiseCopyable {
  var position: Position
  var group: UInt32
  var key: UInt32

  static func gather(_ clusterer: CollisionClusterer) -> FixedArray<CollisionFeature>? {
    guard let keys = clusterer.clusterKeys else { return nil }
    let count = clusterer.points.count
    let features = WritableArray<CollisionFeature>(count: count)
    for ordinal in 0..<count {
      features.pointer[ordinal] = CollisionFeature(
        position: clusterer.points.position(at: ordinal), group: clusterer.groups?[ordinal] ?? 0,
        key: keys[ordinal])
    }
    return features.fixed
  }
}
