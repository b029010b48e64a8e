/// Finds out which features are linked directly or through others, with a join of the quadtree with
/// itself.
///
/// A node that is no wider than the radius is one set from the start, and one whose parts have all
/// been united is one afterwards. Two such nodes need a single link, and none if they are one set
/// already: however dense the features, only what lies along the borders of sets is looked at.
struct LinkJoin: ~Copyable {
  enum State: UInt8 {
    /// Its features may be in different sets.
    case loose
    /// All of them are in one.
    case whole
    /// All of them are kept apart.
    case empty
  }

  let view: IndexPointers
  let distance: LinkDistance
  let keptApart: OrdinalSet
  var budget: WorkBudget
  let sets: DisjointSets
  /// Of each node.
  let states: UnsafeMutablePointer<State>

  /// The view must stay alive.
  init(_ view: IndexPointers, _ distance: LinkDistance, keptApart: OrdinalSet, budget: WorkBudget) {
    self.view = view
    self.distance = distance
    self.keptApart = keptApart
    self.budget = budget
    sets = DisjointSets(count: view.nodeCount > 0 ? view.points(of: 0).upperBound : 0)
    states = .allocate(capacity: max(view.nodeCount, 1))
    states.initialize(repeating: .loose, count: max(view.nodeCount, 1))
  }

  deinit { states.deallocate() }

  mutating func run() {
    if view.nodeCount > 0 { joinWithin(0) }
  }

  /// The place that stands for a node that is whole. It is the same for its first child.
  @inline(__always)
  func representative(of node: Int) -> Int {
    let points = view.points(of: node)
    return keptApart.firstOther(in: points) ?? points.lowerBound
  }

  /// Whether a place is kept apart, for few places: takes a search.
  @inline(__always)
  func isKeptApart(_ place: Int) -> Bool {
    !keptApart.isEmpty && keptApart.count(in: place..<place + 1) > 0
  }

  /// Whether the features at two places are linked.
  @inline(__always)
  mutating func isLinked(_ a: Int, _ b: Int) -> Bool {
    if let known = distance.links(view.positions[a], view.positions[b]) { return known }
    return isLinkedExactly(a, b)
  }

  @inline(never)
  private mutating func isLinkedExactly(_ a: Int, _ b: Int) -> Bool {
    budget.spend(WorkBudget.exactTest)
    return distance.links(
      WebMercator.project(view.coordinates[a]), WebMercator.project(view.coordinates[b]))
  }

  // MARK: One node

  /// Unites what is linked within a node. The recursion is as deep as the tree, at most 33.
  private mutating func joinWithin(_ node: Int) {
    budget.spend(WorkBudget.node)
    if budget.isSpent { return }
    let points = view.points(of: node)
    if !keptApart.isEmpty && keptApart.count(in: points) == points.count {
      states[node] = .empty
      return
    }
    let box = view.nodes[node].box
    if distance.joins(box, box) || isOneCoordinate(node) {
      states[node] = .whole
      return
    }
    if view.nodes[node].isLeaf {
      if points.count > Quadtree.leafCapacity { linkCrowd(points) } else { linkWithin(points) }
    } else {
      let children = view.nodes[node].children
      for child in children { joinWithin(child) }
      for a in children {
        for b in a + 1..<children.upperBound { join(a, b) }
      }
    }
    _ = settle(node)
  }

  /// Whether a node is whole or empty by now. What lies under it is looked at again only along what
  /// was still loose, for joins with its neighbours may have united it.
  private mutating func settle(_ node: Int) -> Bool {
    guard states[node] == .loose else { return true }
    budget.spend(WorkBudget.node)
    var common: Int?
    if view.nodes[node].isLeaf {
      for place in view.points(of: node) where !isKeptApart(place) {
        let root = sets.root(of: place)
        guard root == common ?? root else { return false }
        common = root
      }
    } else {
      for child in view.nodes[node].children {
        guard settle(child) else { return false }
        if states[child] == .empty { continue }
        let root = sets.root(of: representative(of: child))
        guard root == common ?? root else { return false }
        common = root
      }
    }
    states[node] = .whole
    return true
  }

  /// Whether all points of a node have the same coordinate, however small the radius.
  private func isOneCoordinate(_ node: Int) -> Bool {
    let box = view.nodes[node].box
    guard box.minX == box.maxX && box.minY == box.maxY else { return false }
    let points = view.points(of: node)
    let first = view.coordinates[points.lowerBound]
    return points.allSatisfy {
      let other = view.coordinates[$0]
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

  /// Links many points at one position by a sweep along x: the radius is about a step at most.
  private mutating func linkCrowd(_ points: Range<Int>) {
    budget.spend(points.count &* 500)
    if budget.isSpent { return }
    var sorted: [(point: MapPoint, place: Int)] = []
    for place in points where !isKeptApart(place) {
      sorted.append((WebMercator.project(view.coordinates[place]), place))
    }
    sorted.sort { ($0.point.x, $0.point.y, $0.place) < ($1.point.x, $1.point.y, $1.place) }
    var distinct: [(point: MapPoint, place: Int)] = []
    for item in sorted {
      if let last = distinct.last, last.point == item.point {
        sets.unite(last.place, item.place)
        continue
      }
      for other in distinct.reversed() {
        budget.spend(10)
        let dx = item.point.x - other.point.x
        if dx * dx > distance.squaredRadius || budget.isSpent { break }
        if distance.links(item.point, other.point) { sets.unite(item.place, other.place) }
      }
      distinct.append(item)
    }
  }
}
