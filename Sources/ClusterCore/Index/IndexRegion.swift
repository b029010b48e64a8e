/// How much of a node's points a region holds.
enum Coverage {
  case outside, inside, partial
}

/// The raw parts of an index for loops that read them; valid while the index is kept alive.
struct IndexView {
  let nodes: UnsafePointer<Quadtree.Node>
  let aggregates: UnsafePointer<Quadtree.Aggregate>
  let positions: UnsafePointer<Position>
  let coordinates: UnsafePointer<Coordinate>
  let nodeCount: Int

  /// The points of a node. The node after a subtree begins where the subtree ends.
  @inline(__always)
  func points(of node: Int) -> Range<Int> {
    Int(nodes[node].begin)..<Int(nodes[Int(nodes[node].skip)].begin)
  }

  @inline(__always)
  func isLeaf(_ node: Int) -> Bool { Int(nodes[node].skip) == node + 1 }
}

/// A set of features that is given by where they are.
protocol IndexRegion: Sendable {
  /// How much of a node lies inside. `.partial` is always a correct answer.
  func coverage(of node: Int, in view: IndexView) -> Coverage
  /// Whether the feature at a place lies inside: exact.
  func contains(_ place: Int, in view: IndexView) -> Bool
}

/// Every feature.
struct EverywhereRegion: IndexRegion {
  @inline(__always)
  func coverage(of node: Int, in view: IndexView) -> Coverage { .inside }
  @inline(__always)
  func contains(_ place: Int, in view: IndexView) -> Bool { true }
}

/// What to do with a node that lies inside a region.
enum WalkStep {
  /// It is dealt with: go on behind it.
  case taken
  /// Go on with its children or points.
  case open
  /// End the walk.
  case stop
}

extension FeatureIndex {
  /// The raw parts; see ``IndexView``.
  var view: IndexView {
    IndexView(
      nodes: tree.nodes.pointer, aggregates: tree.aggregates.pointer,
      positions: positions.pointer, coordinates: coordinates.pointer, nodeCount: tree.count)
  }

  /// Visits a region's features in index order: whole nodes where they lie inside and `take` takes
  /// them, single points elsewhere. `point` returns false to end the walk.
  ///
  /// One pass over the node table; what lies outside is skipped a subtree at a time.
  @inline(__always)
  func walk(
    _ region: some IndexRegion, take: (Int, IndexView) -> WalkStep,
    point: (Int, IndexView) -> Bool
  ) {
    withExtendedLifetime(self) {
      let view = self.view
      var node = 0
      while node < view.nodeCount {
        switch region.coverage(of: node, in: view) {
        case .outside:
          node = Int(view.nodes[node].skip)
          continue
        case .inside:
          switch take(node, view) {
          case .taken:
            node = Int(view.nodes[node].skip)
            continue
          case .open: break
          case .stop: return
          }
        case .partial: break
        }
        if view.isLeaf(node) {
          for place in view.points(of: node) where region.contains(place, in: view) {
            guard point(place, view) else { return }
          }
        }
        node += 1
      }
    }
  }

  /// The number of features in a region.
  func countPlaces(in region: some IndexRegion) -> Int {
    var total = 0
    walk(
      region,
      take: { node, view in
        total += view.points(of: node).count
        return .taken
      },
      point: { _, _ in
        total += 1
        return true
      })
    return total
  }

  /// Calls `body` with the places of a region's features in index order, after `offset` of them,
  /// until it returns false. Skipped features cost O(log n).
  func forEachPlace(
    in region: some IndexRegion, offset: Int = 0, _ body: (Int) -> Bool
  ) {
    var toSkip = offset
    walk(
      region,
      take: { node, view in
        let points = view.points(of: node)
        if toSkip >= points.count {
          toSkip -= points.count
          return .taken
        }
        let rest = points.dropFirst(toSkip)
        toSkip = 0
        for place in rest where !body(place) { return .stop }
        return .taken
      },
      point: { place, _ in
        if toSkip > 0 {
          toSkip -= 1
          return true
        }
        return body(place)
      })
  }
}
