import CHints

/// One run of ``CollisionClusterer``.
///
/// A placed box is listed in every bucket in its reach, so that a feature finds all boxes that it may
/// overlap in one list: few, because boxes that were placed for want of an overlap keep their
/// distance, as do those of one cluster key. Only required and kept-apart ones can pile up. They are
/// all placed before the first feature asks whether it overlaps any, and get a tree of their own.
struct CollisionPlacement: ~Copyable {
  private let clusterer: CollisionClusterer
  private let view: IndexPointers
  private let order: CollisionOrder
  private let overlap: BoxOverlap
  private let buckets: BucketGrid
  private var budget: WorkBudget
  /// What is asked of the features; nil where none has a key.
  private let features: FixedArray<CollisionFeature>?
  /// The places of the placed features, in that order.
  private var placed: [Int] = []
  /// Of each place, the number of its box; negative while it is in none.
  private let fates: UnsafeMutablePointer<Int32>
  /// Boxes that take others in, by bucket, group and cluster key.
  private var takers = PlacedLists()
  /// Boxes that overlapped none when they were placed, by bucket.
  private var others = PlacedLists()
  /// Those that were placed whatever they overlap, by bucket: the first few, and all of them.
  private var unasked = PlacedLists(longest: 12)
  private var unaskedPoints: PointIndex?

  init(_ clusterer: CollisionClusterer) {
    self.clusterer = clusterer
    view = clusterer.points.pointers
    overlap = BoxOverlap(width: clusterer.width, height: clusterer.height)
    buckets = BucketGrid(overlap)
    budget = WorkBudget(clusterer.work)
    let count = clusterer.points.count
    order = CollisionOrder(clusterer.priorities, count: count)
    features = CollisionFeature.gather(clusterer)
    fates = .allocate(capacity: max(count, 1))
    fates.initialize(repeating: -1, count: max(count, 1))
  }

  deinit { fates.deallocate() }

  var result: Collisions {
    Collisions(placed: placed, fates: fates, points: clusterer.points)
  }

  mutating func run() throws(MethodLimit) {
    for place in clusterer.keptApart.ordinals.sorted(by: {
      (-order.priority(of: $0), $0) < (-order.priority(of: $1), $1)
    }) {
      try put(place)
      list(place, in: .unasked)
    }
    let count = clusterer.points.count
    if let places = order.places?.pointer {
      for index in 0..<count {
        prefetch(Int(places[min(index &+ 24, count &- 1)]))
        prefetchLists(Int(places[min(index &+ 16, count &- 1)]))
        prefetchEntries(Int(places[min(index &+ 8, count &- 1)]))
        try take(Int(places[index]), isRequired: index < order.requiredCount)
      }
    } else if features == nil && order.requiredCount == 0 {
      if count > 0 { try sweep(0) }
    } else {
      for place in 0..<count { try take(place, isRequired: place < order.requiredCount) }
    }
  }

  @inline(__always)
  private func prefetch(_ place: Int) {
    if let features {
      chints_prefetch(features.pointer + place)
    } else {
      view.prefetchPosition(place)
    }
    chints_prefetch(fates + place)
  }

  /// Asks for the lists that a feature is compared with, once it has arrived itself.
  @inline(__always)
  private func prefetchLists(_ place: Int) {
    let position = features?.pointer[place].position ?? view.positions[place]
    let bucket = buckets.bucket(of: position)
    if let key = takerKey(place, bucket) { takers.prefetch(key) }
    others.prefetch(PlacedLists.Key(bucket: bucket))
  }

  /// Asks for the first boxes of those lists, once they are known.
  @inline(__always)
  private func prefetchEntries(_ place: Int) {
    let position = features?.pointer[place].position ?? view.positions[place]
    let bucket = buckets.bucket(of: position)
    if let key = takerKey(place, bucket) { takers.prefetchEntries(key) }
    others.prefetchEntries(PlacedLists.Key(bucket: bucket))
  }

  /// Takes features that can only be placed or hidden in index order, and skips whole nodes that a
  /// box covers.
  private mutating func sweep(_ node: Int) throws(MethodLimit) {
    let box = view.nodes[node].box
    budget.spend(20)
    let bucket = buckets.bucket(of: Position(x: box.minX, y: box.minY))
    var next = others.list(PlacedLists.Key(bucket: bucket)).first
    while next >= 0 {
      let entry = others.entries.pointer[Int(next)]
      if overlap.joins(PositionBox(entry.position), box) { return }
      next = entry.next
    }
    if view.nodes[node].isLeaf {
      for place in view.points(of: node) { try take(place, isRequired: false) }
    } else {
      for child in view.nodes[node].children { try sweep(child) }
    }
  }

  /// Decides about a feature.
  @inline(__always)
  private mutating func take(_ place: Int, isRequired: Bool) throws(MethodLimit) {
    // Kept apart: it has its box.
    if fates[place] >= 0 { return }
    budget.spend(40)
    if budget.isSpent { throw .work }
    let position = features?.pointer[place].position ?? view.positions[place]
    let bucket = buckets.bucket(of: position)
    let key = takerKey(place, bucket)
    if let key {
      let first = takers.list(key).first
      if let taker = firstOverlapped(by: place, position, first, takers.entries.pointer) {
        fates[place] = taker
        return
      }
    }
    if !isRequired && overlapsAny(place, position, bucket) { return }
    try put(place)
    list(place, in: isRequired ? .unasked : .others)
    if key != nil { list(place, in: .takers) }
  }

  @inline(__always)
  private func takerKey(_ place: Int, _ bucket: UInt64) -> PlacedLists.Key? {
    guard let features, features.pointer[place].key != CollisionClusterer.noKey else {
      return nil
    }
    let feature = features.pointer[place]
    return PlacedLists.Key(bucket: bucket, group: feature.group, cluster: feature.key)
  }

  /// The list of those of the unasked that lie in a bucket themselves: the likeliest to overlap.
  private func ownKey(_ bucket: UInt64) -> PlacedLists.Key {
    PlacedLists.Key(bucket: bucket, cluster: 1)
  }

  private mutating func put(_ place: Int) throws(MethodLimit) {
    fates[place] = Int32(placed.count)
    placed.append(place)
    if placed.count > clusterer.limit { throw .annotations(placed.count) }
  }

  private enum List { case takers, others, unasked }

  /// Lists the box that was placed last.
  private mutating func list(_ place: Int, in list: List) {
    let position = view.positions[place]
    let number = placed.count - 1
    for bucket in buckets.neighbourhood(of: position) {
      switch list {
      case .takers:
        guard let key = takerKey(place, bucket) else { continue }
        takers.append(number, at: position, to: key)
      case .others: others.append(number, at: position, to: PlacedLists.Key(bucket: bucket))
      case .unasked: unasked.append(number, at: position, to: PlacedLists.Key(bucket: bucket))
      }
    }
    if list == .unasked {
      unasked.append(number, at: position, to: ownKey(buckets.bucket(of: position)))
    }
  }

  /// The earliest box of a list that a feature overlaps.
  @inline(__always)
  private mutating func firstOverlapped(
    by place: Int, _ position: Position, _ first: Int32,
    _ entries: UnsafePointer<PlacedLists.Entry>
  ) -> Int32? {
    var next = first
    while next >= 0 {
      let entry = entries[Int(next)]
      budget.spend(2)
      switch overlap.overlaps(position, entry.position) {
      case true?: return entry.number
      case false?: break
      case nil:
        budget.spend(WorkBudget.exactTest)
        if overlap.overlaps(place, placed[Int(entry.number)], in: view) { return entry.number }
      }
      next = entry.next
    }
    return nil
  }

  @inline(__always)
  private mutating func overlapsAny(
    _ place: Int, _ position: Position, _ bucket: UInt64
  ) -> Bool {
    let key = PlacedLists.Key(bucket: bucket)
    let first = others.list(key).first
    if firstOverlapped(by: place, position, first, others.entries.pointer) != nil { return true }
    if unasked.isEmpty { return false }
    let own = unasked.list(ownKey(bucket)).first
    if firstOverlapped(by: place, position, own, unasked.entries.pointer) != nil { return true }
    let list = unasked.list(key)
    if firstOverlapped(by: place, position, list.first, unasked.entries.pointer) != nil {
      return true
    }
    return list.isCut && overlapsAnyUnasked(place)
  }

  /// Asks the tree of the required and the kept-apart ones, all of which are placed by now.
  private mutating func overlapsAnyUnasked(_ place: Int) -> Bool {
    let index = unaskedPoints ?? treeOfPlaced()
    unaskedPoints = index
    let center = PositionBox(view.positions[place])
    var (found, steps) = (false, 0)
    withExtendedLifetime(index) {
      let tree = index.pointers
      tree.traverse { node in
        steps += 10
        if overlap.separates(center, tree.nodes[node].box) { return .skip }
        if overlap.joins(center, tree.nodes[node].box) {
          found = true
          return .stop
        }
        guard tree.nodes[node].isLeaf else { return .open }
        for other in tree.points(of: node) {
          steps += 3
          found =
            overlap.overlaps(view.positions[place], tree.positions[other])
            ?? overlap.overlaps(
              WebMercator.project(view.coordinates[place]),
              WebMercator.project(tree.coordinates[other]))
          if found { return .stop }
        }
        return .skip
      }
    }
    budget.spend(steps)
    return found
  }

  private func treeOfPlaced() -> PointIndex {
    // Later boxes, of features that overlapped none, may be among them: they are no less placed.
    let places = placed.sorted()
    let selected = FixedArray<UInt32>(uninitialized: places.count)
    for (index, place) in places.enumerated() { selected.pointer[index] = UInt32(place) }
    return PointIndex(selecting: selected, of: clusterer.points)
  }
}
