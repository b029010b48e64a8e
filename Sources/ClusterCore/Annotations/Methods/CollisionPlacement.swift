import CHints

/// One run of ``CollisionClusterer``.
///
/// A placed box is listed in its bucket and all neighbouring ones, so that a feature finds all boxes that
/// it may overlap in one list. The lists are short because boxes that were placed as they overlapped no
/// other are apart from each other, as are those with the same cluster key. Only forced boxes, those of
/// required and kept-apart features, can pile up. They are all placed before the first feature is tested
/// for an overlap with them, and have a tree of their own.
struct CollisionPlacement: ~Copyable {
  /// The properties of a feature, together in memory because features are accessed in order of priority,
  /// which is random in memory.
  private struct Feature: BitwiseCopyable {
    var position: Position
    var group: UInt32
    var key: UInt32
  }

  private let clusterer: CollisionClusterer
  private let pointers: IndexPointers
  private let order: CollisionOrder
  private let overlap: BoxOverlap
  private let buckets: BucketGrid
  private var budget: WorkBudget
  /// The properties of the features; nil if none has a cluster key.
  private let features: FixedArray<Feature>?
  /// The ordinals of the placed features, in the order of placement. Their indices number the boxes.
  private var placed: [Int] = []
  /// The number of the box of each feature; negative while it has none.
  private let boxNumbers: UnsafeMutablePointer<Int32>
  /// The boxes that other features may join, by bucket, group and cluster key.
  private var joinable = BoxLists()
  /// The boxes that overlapped no other when they were placed, by bucket.
  private var disjoint = BoxLists()
  /// The first few of the boxes that were placed regardless of overlaps, by bucket.
  private var forced = BoxLists(longest: 12)
  /// The tree of all boxes that were placed regardless of overlaps, made when first needed.
  private var forcedPoints: PointIndex?

  init(_ clusterer: CollisionClusterer) {
    self.clusterer = clusterer
    pointers = clusterer.points.pointers
    overlap = BoxOverlap(width: clusterer.width, height: clusterer.height)
    buckets = BucketGrid(overlap)
    budget = WorkBudget(clusterer.work)
    let count = clusterer.points.count
    order = CollisionOrder(clusterer.priorities, count: count)
    features = clusterer.clusterKeys.map { keys in
      let features = WritableArray<Feature>(count: count)
      for ordinal in 0..<count {
        features.pointer[ordinal] = Feature(
          position: clusterer.points.position(at: ordinal),
          group: clusterer.groups?[ordinal] ?? 0, key: keys[ordinal])
      }
      return features.fixed
    }
    boxNumbers = .allocate(capacity: max(count, 1))
    boxNumbers.initialize(repeating: -1, count: max(count, 1))
  }

  deinit { boxNumbers.deallocate() }

  var result: Collisions {
    Collisions(placed: placed, boxNumbers: boxNumbers, points: clusterer.points)
  }

  mutating func run() throws(MethodLimit) {
    for ordinal in clusterer.keptApart.ordinals.sorted(by: {
      (-order.priority(of: $0), $0) < (-order.priority(of: $1), $1)
    }) {
      try put(ordinal)
      list(ordinal, in: .forced)
    }
    let count = clusterer.points.count
    if let ordinals = order.ordinals?.pointer {
      for index in 0..<count {
        prefetch(Int(ordinals[min(index &+ 24, count &- 1)]))
        prefetchLists(Int(ordinals[min(index &+ 16, count &- 1)]))
        prefetchEntries(Int(ordinals[min(index &+ 8, count &- 1)]))
        try take(Int(ordinals[index]), isRequired: index < order.requiredCount)
      }
    } else if features == nil && order.requiredCount == 0 {
      if count > 0 { try sweep(0) }
    } else {
      for ordinal in 0..<count { try take(ordinal, isRequired: ordinal < order.requiredCount) }
    }
  }

  @inline(__always)
  private func prefetch(_ ordinal: Int) {
    if let features {
      chints_prefetch(features.pointer + ordinal)
    } else {
      pointers.prefetchPosition(ordinal)
    }
    chints_prefetch(boxNumbers + ordinal)
  }

  @inline(__always)
  private func position(of ordinal: Int) -> Position {
    features?.pointer[ordinal].position ?? pointers.position(ordinal)
  }

  /// Prefetches the lists with which a feature is compared, after the feature itself has arrived.
  @inline(__always)
  private func prefetchLists(_ ordinal: Int) {
    let bucket = buckets.bucket(of: position(of: ordinal))
    if let key = joinKey(ordinal, bucket) { joinable.prefetch(key) }
    disjoint.prefetch(BoxLists.Key(bucket: bucket))
  }

  @inline(__always)
  private func prefetchEntries(_ ordinal: Int) {
    let bucket = buckets.bucket(of: position(of: ordinal))
    if let key = joinKey(ordinal, bucket) { joinable.prefetchEntries(key) }
    disjoint.prefetchEntries(BoxLists.Key(bucket: bucket))
  }

  /// Places or hides features in index order if none can join a box, and skips nodes whose features all
  /// overlap one box.
  private mutating func sweep(_ node: Int) throws(MethodLimit) {
    let box = pointers.node(node).box
    budget.spend(20)
    let bucket = buckets.bucket(of: Position(x: box.minX, y: box.minY))
    var next = disjoint.list(BoxLists.Key(bucket: bucket)).first
    while next >= 0 {
      let entry = disjoint.entries.pointer[Int(next)]
      if overlap.joins(PositionBox(entry.position), box) { return }
      next = entry.next
    }
    if pointers.node(node).isLeaf {
      for ordinal in pointers.points(of: node) { try take(ordinal, isRequired: false) }
    } else {
      for child in pointers.node(node).children { try sweep(child) }
    }
  }

  @inline(__always)
  private mutating func take(_ ordinal: Int, isRequired: Bool) throws(MethodLimit) {
    // A feature that is kept apart has its box already.
    if boxNumbers[ordinal] >= 0 { return }
    budget.spend(40)
    if budget.isSpent { throw .work }
    let position = position(of: ordinal)
    let bucket = buckets.bucket(of: position)
    let key = joinKey(ordinal, bucket)
    if let key {
      let first = joinable.list(key).first
      if let box = firstOverlapped(by: ordinal, position, first, joinable.entries.pointer) {
        boxNumbers[ordinal] = box
        return
      }
    }
    if !isRequired && overlapsAny(ordinal, position, bucket) { return }
    try put(ordinal)
    list(ordinal, in: isRequired ? .forced : .disjoint)
    if key != nil { list(ordinal, in: .joinable) }
  }

  @inline(__always)
  private func joinKey(_ ordinal: Int, _ bucket: UInt64) -> BoxLists.Key? {
    guard let features, features.pointer[ordinal].key != CollisionClusterer.noKey else {
      return nil
    }
    let feature = features.pointer[ordinal]
    return BoxLists.Key(bucket: bucket, group: feature.group, cluster: feature.key)
  }

  /// The key of the list of the forced boxes whose centres are in a bucket, the likeliest to overlap.
  private func ownKey(_ bucket: UInt64) -> BoxLists.Key {
    BoxLists.Key(bucket: bucket, cluster: 1)
  }

  private mutating func put(_ ordinal: Int) throws(MethodLimit) {
    boxNumbers[ordinal] = Int32(placed.count)
    placed.append(ordinal)
    if placed.count > clusterer.limit { throw .annotations(placed.count) }
  }

  private enum List { case joinable, disjoint, forced }

  private mutating func list(_ ordinal: Int, in list: List) {
    let position = pointers.position(ordinal)
    let number = placed.count - 1
    for bucket in buckets.neighbourhood(of: position) {
      switch list {
      case .joinable:
        guard let key = joinKey(ordinal, bucket) else { continue }
        joinable.append(number, at: position, to: key)
      case .disjoint: disjoint.append(number, at: position, to: BoxLists.Key(bucket: bucket))
      case .forced: forced.append(number, at: position, to: BoxLists.Key(bucket: bucket))
      }
    }
    if list == .forced {
      forced.append(number, at: position, to: ownKey(buckets.bucket(of: position)))
    }
  }

  /// The number of the earliest box in a list that a feature overlaps; nil if there is none.
  @inline(__always)
  private mutating func firstOverlapped(
    by ordinal: Int, _ position: Position, _ first: Int32,
    _ entries: UnsafePointer<BoxLists.Entry>
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
        if overlap.overlaps(ordinal, placed[Int(entry.number)], in: pointers) {
          return entry.number
        }
      }
      next = entry.next
    }
    return nil
  }

  @inline(__always)
  private mutating func overlapsAny(
    _ ordinal: Int, _ position: Position, _ bucket: UInt64
  ) -> Bool {
    let key = BoxLists.Key(bucket: bucket)
    let first = disjoint.list(key).first
    if firstOverlapped(by: ordinal, position, first, disjoint.entries.pointer) != nil {
      return true
    }
    if forced.isEmpty { return false }
    let own = forced.list(ownKey(bucket)).first
    if firstOverlapped(by: ordinal, position, own, forced.entries.pointer) != nil { return true }
    let list = forced.list(key)
    if firstOverlapped(by: ordinal, position, list.first, forced.entries.pointer) != nil {
      return true
    }
    return list.isCut && overlapsAnyForced(ordinal)
  }

  /// Whether a feature overlaps any forced box, by their tree. All of them have been placed by now.
  private mutating func overlapsAnyForced(_ ordinal: Int) -> Bool {
    let index = forcedPoints ?? treeOfPlaced()
    forcedPoints = index
    let center = PositionBox(pointers.position(ordinal))
    var (found, steps) = (false, 0)
    withExtendedLifetime(index) {
      let tree = index.pointers
      tree.traverse { node in
        steps += 10
        if overlap.separates(center, tree.node(node).box) { return .skip }
        if overlap.joins(center, tree.node(node).box) {
          found = true
          return .stop
        }
        guard tree.node(node).isLeaf else { return .open }
        for other in tree.points(of: node) {
          steps += 3
          found =
            overlap.overlaps(pointers.position(ordinal), tree.position(other))
            ?? overlap.overlaps(
              WebMercator.project(pointers.coordinate(ordinal)),
              WebMercator.project(tree.coordinate(other)))
          if found { return .stop }
        }
        return .skip
      }
    }
    budget.spend(steps)
    return found
  }

  private func treeOfPlaced() -> PointIndex {
    // The tree may include later boxes that overlapped no other, which does no harm.
    let ordinals = placed.sorted()
    let selected = WritableArray<UInt32>(count: ordinals.count)
    for (index, ordinal) in ordinals.enumerated() { selected.pointer[index] = UInt32(ordinal) }
    return PointIndex(selecting: selected.fixed, of: clusterer.points)
  }
}
