/// The result of the collision method.
struct Collisions: Sendable {
  struct Cluster: Sendable {
    /// The ordinal of the feature whose box was placed, at which the cluster is drawn.
    var placed: Int
    /// The sum of its features, including the placed one.
    var sum = PointSum()
    /// The range of its features' ordinals in ``Collisions/members``.
    var members = 0..<0
  }

  /// The clusters, in index order of the placed features.
  private(set) var all: [Cluster]
  /// The number of features that are in no cluster.
  let hiddenCount: Int
  private let members: FixedArray<UInt32>

  /// - Parameters:
  ///   - placed: The ordinals of the placed features, in the order of placement.
  ///   - boxNumbers: The index in `placed` of each feature's box; negative for hidden features.
  init(
    placed: [Int], boxNumbers: UnsafePointer<Int32>, points: PointIndex
  ) {
    let pointers = points.pointers
    let order = placed.indices.sorted { placed[$0] < placed[$1] }
    var ranks = [Int](repeating: 0, count: placed.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    all = order.map { Cluster(placed: placed[$0]) }
    for ordinal in 0..<points.count where boxNumbers[ordinal] >= 0 {
      all[ranks[Int(boxNumbers[ordinal])]].sum.add(ordinal..<ordinal + 1, in: pointers)
    }
    var next: [Int] = []
    var total = 0
    for index in all.indices {
      next.append(total)
      all[index].members = total..<total + all[index].sum.count
      total += all[index].sum.count
    }
    let members = WritableArray<UInt32>(count: total)
    hiddenCount = points.count - total
    for ordinal in 0..<points.count where boxNumbers[ordinal] >= 0 {
      let rank = ranks[Int(boxNumbers[ordinal])]
      members.pointer[next[rank]] = UInt32(ordinal)
      next[rank] += 1
    }
    self.members = members.fixed
    withExtendedLifetime(points) {}
  }

  /// The ordinals of a cluster's features in index order.
  func ordinals(of cluster: Cluster) -> some RandomAccessCollection<Int> {
    let members = self.members
    return cluster.members.lazy.map { Int(members.pointer[$0]) }
  }

  /// The bounds and the mean of a cluster's coordinates.
  func extent(of cluster: Cluster, in points: PointIndex) -> CircularExtent {
    CircularExtent(cluster.sum, of: points, ordinals: ordinals(of: cluster))
  }
}
