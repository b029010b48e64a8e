/// What the collision method found.
struct Collisions: Sendable {
  struct Cluster: Sendable {
    /// The place of the feature whose box was placed: the cluster stands there.
    var placed: Int
    /// Its features, with the placed one.
    var sum = PointSum()
    /// Where the places of its features are.
    fileprivate(set) var members: Range<Int> = 0..<0

    init(placed: Int) { self.placed = placed }
  }

  /// In index order of the placed features.
  private(set) var all: [Cluster]
  /// The features that are in no cluster.
  let hiddenCount: Int
  private let members: FixedArray<UInt32>

  /// - Parameters:
  ///   - placed: places, in the order in which they were placed.
  ///   - fates: of each place, the number in that order of the box that it is in; negative for none.
  init(
    placed: [Int], fates: UnsafePointer<Int32>, points: PointIndex
  ) {
    let view = points.pointers
    let order = placed.indices.sorted { placed[$0] < placed[$1] }
    var ranks = [Int](repeating: 0, count: placed.count)
    for (rank, number) in order.enumerated() { ranks[number] = rank }
    all = order.map { Cluster(placed: placed[$0]) }
    for place in 0..<points.count where fates[place] >= 0 {
      all[ranks[Int(fates[place])]].sum.add(place..<place + 1, in: view)
    }
    var next: [Int] = []
    var total = 0
    for index in all.indices {
      next.append(total)
      all[index].members = total..<total + all[index].sum.count
      total += all[index].sum.count
    }
    members = FixedArray(uninitialized: total)
    hiddenCount = points.count - total
    for place in 0..<points.count where fates[place] >= 0 {
      let rank = ranks[Int(fates[place])]
      members.pointer[next[rank]] = UInt32(place)
      next[rank] += 1
    }
    withExtendedLifetime(points) {}
  }

  /// The places of a cluster's features in index order.
  func places(of cluster: Cluster) -> some RandomAccessCollection<Int> {
    let members = self.members
    return cluster.members.lazy.map { Int(members.pointer[$0]) }
  }

  /// The bounds (and the mean) of a cluster's coordinates.
  func extent(of cluster: Cluster, in points: PointIndex) -> CircularExtent {
    CircularExtent(cluster.sum, of: points, places: places(of: cluster))
  }
}
