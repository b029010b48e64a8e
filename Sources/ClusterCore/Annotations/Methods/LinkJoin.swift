/// Finds the sets of features that are linked directly or through others, by a join of the quadtree with
/// itself.
///
/// A node that is no wider than the radius is a single set from the start, and a node whose parts have
/// all been united is one from then on. Two such nodes need only one link, and none if they are in the
/// same set already. However dense the features, only those along the borders of sets are compared.
struct LinkJoin: ~Copyable {
  enum State: UInt8 {
    /// The node's features may be in different sets.
    case loose
    /// All of the node's features are in the same set, except those that are kept apart.
    case whole
    /// All of the node's features are kept apart.
    case empty
  }

  let pointers: IndexPointers
  let distance: LinkDistance
  let keptApart: OrdinalSet
  var budget: WorkBudget
  let sets: DisjointSets
  let states: UnsafeMutablePointer<State>

  /// Creates a join. The index of the pointers must outlive it.
  init(
    _ pointers: IndexPointers, _ distance: LinkDistance, keptApart: OrdinalSet, budget: WorkBudget
  ) {
    self.pointers = pointers
    self.distance = distance
    self.keptApart = keptApart
    self.budget = budget
    sets = DisjointSets(count: pointers.nodeCount > 0 ? pointers.points(of: 0).upperBound : 0)
    states = .allocate(capacity: max(pointers.nodeCount, 1))
    states.initialize(repeating: .loose, count: max(pointers.nodeCount, 1))
  }

  deinit { states.deallocate() }

  mutating func run() {
    if pointers.nodeCount > 0 { joinWithin(0) }
  }

  /// The ordinal of a feature in the set of a whole node: its first one that isn't kept apart.
  @inline(__always)
  func representative(of node: Int) -> Int {
    let points = pointers.points(of: node)
    return keptApart.firstOther(in: points) ?? points.lowerBound
  }

  /// Whether a feature is kept apart. Takes a search, so it is only for few features.
  @inline(__always)
  func isKeptApart(_ ordinal: Int) -> Bool {
    !keptApart.isEmpty && keptApart.count(in: ordinal..<ordinal + 1) > 0
  }

  @inline(__always)
  mutating func isLinked(_ a: Int, _ b: Int) -> Bool {
    if let known = distance.links(pointers.position(a), pointers.position(b)) { return known }
    return isLinkedExactly(a, b)
  }

  @inline(never)
  private mutating func isLinkedExactly(_ a: Int, _ b: Int) -> Bool {
    budget.spend(WorkBudget.exactTest)
    return distance.links(
      WebMercator.project(pointers.coordinate(a)), WebMercator.project(pointers.coordinate(b)))
  }

  // MARK: One node

  /// Unites the linked features of a node. The recursion is as deep as the tree, at most 33 levels.
  private mutating func joinWithin(_ node: Int) {
    budget.spend(WorkBudget.node)
    if budget.isSpent { return }
    let points = pointers.points(of: node)
    if !keptApart.isEmpty && keptApart.count(in: points) == points.count {
      states[node] = .empty
      return
    }
    let box = pointers.node(node).box
    if distance.joins(box, box) || isOneCoordinate(node) {
      states[node] = .whole
      return
    }
    if pointers.node(node).isLeaf {
      if points.count > Quadtree.leafCapacity { linkCrowd(points) } else { linkWithin(points) }
    } else {
      let children = pointers.node(node).children
      for child in children { joinWithin(child) }
      for a in children {
        for b in a + 1..<children.upperBound { join(a, b) }
      }
    }
    _ = updateState(node)
  }

  /// Updates the state of a node and returns whether it is whole or empty. Descendants that were loose
  /// are visited again, because joins with their neighbours may have united them.
  private mutating func updateState(_ node: Int) -> Bool {
    guard states[node] == .loose else { return true }
    budget.spend(WorkBudget.node)
    var common: Int?
    if pointers.node(node).isLeaf {
      for ordinal in pointers.points(of: node) where !isKeptApart(ordinal) {
        let root = sets.root(of: ordinal)
        guard root == common ?? root else { return false }
        common = root
      }
    } else {
      for child in pointers.node(node).children {
        guard updateState(child) else { return false }
        if states[child] == .empty { continue }
        let root = sets.root(of: representative(of: child))
        guard root == common ?? root else { return false }
        common = root
      }
    }
    states[node] = .whole
    return true
  }

  /// Whether all points of a node have the same coordinate, so that they are linked for any radius.
  private func isOneCoordinate(_ node: Int) -> Bool {
    let box = pointers.node(node).box
    guard box.minX == box.maxX && box.minY == box.maxY else { return false }
    let points = pointers.points(of: node)
    let first = pointers.coordinate(points.lowerBound)
    return points.allSatisfy {
      let other = pointers.coordinate($0)
      return other.latitude == first.latitude && other.foldedLongitude == first.foldedLongitude
    }
  }

  private mutating func linkWithin(_ points: Range<Int>) {
    budget.spend(points.count &* points.count)
    let hasKept = !keptApart.isEmpty && keptApart.count(in: points) > 0
    for a in points {
      if hasKept && isKeptApart(a) { continue }
      for b in a &+ 1..<points.upperBound where isLinked(a, b) {
        if hasKept && isKeptApart(b) { continue }
        sets.unite(a, b)
      }
      if budget.isSpent { return }
    }
  }

  /// Links many points at one position by a sweep along x. The radius is at most about a step.
  private mutating func linkCrowd(_ points: Range<Int>) {
    budget.spend(points.count &* 500)
    if budget.isSpent { return }
    var sorted: [(point: MapPoint, ordinal: Int)] = []
    for ordinal in points where !isKeptApart(ordinal) {
      sorted.append((WebMercator.project(pointers.coordinate(ordinal)), ordinal))
    }
    sorted.sort { ($0.point.x, $0.point.y, $0.ordinal) < ($1.point.x, $1.point.y, $1.ordinal) }
    var distinct: [(point: MapPoint, ordinal: Int)] = []
    for item in sorted {
      if let last = distinct.last, last.point == item.point {
        sets.unite(last.ordinal, item.ordinal)
        continue
      }
      for other in distinct.reversed() {
        budget.spend(10)
        let dx = item.point.x - other.point.x
        if dx * dx > distance.squaredRadius || budget.isSpent { break }
        if distance.links(item.point, other.point) { sets.unite(item.ordinal, other.ordinal) }
      }
      distinct.append(item)
    }
  }
}
