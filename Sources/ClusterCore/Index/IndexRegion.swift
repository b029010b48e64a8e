/// How much of a node's points a region holds.
enum Coverage {
  case outside, inside, partial
}

/// What becomes of a node in a traversal.
enum NodeVisit {
  /// On to the next one that isn't below it.
  case skip
  /// Its children next; a leaf has none.
  case open
  /// No more nodes.
  case stop
}

/// A set of features that is given by where they are.
protocol IndexRegion: Sendable {
  /// How much of a node lies inside. `.partial` is always a correct answer.
  func coverage(of node: Int, in view: IndexPointers) -> Coverage
  /// Whether the feature at a place lies inside: exact.
  func contains(_ place: Int, in view: IndexPointers) -> Bool
}

/// Every feature.
struct EverywhereRegion: IndexRegion {
  @inline(__always)
  func coverage(of node: Int, in view: IndexPointers) -> Coverage { .inside }
  @inline(__always)
  func contains(_ place: Int, in view: IndexPointers) -> Bool { true }
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

extension PointIndex {
  /// Visits a region's features in index order: whole nodes where they lie inside and `take` takes
  /// them, single points elsewhere. `point` returns false to end the walk.
  ///
  /// What lies outside is skipped a subtree at a time.
  @inline(__always)
  func walk(
    _ region: some IndexRegion, take: (Int, IndexPointers) -> WalkStep,
    point: (Int, IndexPointers) -> Bool
  ) {
    withExtendedLifetime(self) {
      let view = self.view
      view.traverse { node in
        switch region.coverage(of: node, in: view) {
        case .outside: return .skip
        case .inside:
          switch take(node, view) {
          case .taken: return .skip
          case .stop: return .stop
          case .open: break
          }
        case .partial: break
        }
        if view.nodes[node].isLeaf {
          for place in view.points(of: node) where region.contains(place, in: view) {
            guard point(place, view) else { return .stop }
          }
        }
        return .open
      }
    }
  }

  /// The number of features in a region.
  func countFeatures(in region: some IndexRegion) -> Int {
    var total = 0
    walk(
      region,
      take: { node, view in
        total += view.count(of: node)
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
  func forEachOrdinal(
    in region: some IndexRegion, offset: Int = 0, _ body: (Int) -> Bool
  ) {
    var toSkip = offset
    walk(
      region,
      take: { node, view in
        let count = view.count(of: node)
        if toSkip >= count {
          toSkip -= count
          return .taken
        }
        let goesOn = view.forEachRun(of: node) { run in
          let skipped = min(toSkip, run.count)
          toSkip -= skipped
          return run.dropFirst(skipped).allSatisfy(body)
        }
        return goesOn ? .taken : .stop
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
