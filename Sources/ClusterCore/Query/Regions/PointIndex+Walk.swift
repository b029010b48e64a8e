extension PointIndex {
  /// How a walk continues after a node inside the region.
  enum WalkStep {
    /// The whole node is taken. The walk continues after it.
    case taken
    /// The walk continues with its children or points.
    case open
    /// The walk ends.
    case stop
  }

  /// Visits a region's features in index order: whole nodes inside the region that `take` takes,
  /// and single points elsewhere. `point` returns false to end the walk. Subtrees outside the
  /// region are skipped.
  @inline(__always)
  func walk(
    _ region: some IndexRegion, take: (Int, IndexPointers) -> WalkStep,
    point: (Int, IndexPointers) -> Bool
  ) {
    withExtendedLifetime(self) {
      let pointers = self.pointers
      pointers.traverse { node in
        switch region.coverage(of: node, in: pointers) {
        case .outside: return .skip
        case .inside:
          switch take(node, pointers) {
          case .taken: return .skip
          case .stop: return .stop
          case .open: break
          }
        case .partial: break
        }
        if pointers.node(node).isLeaf {
          for ordinal in pointers.points(of: node) where region.contains(ordinal, in: pointers) {
            guard point(ordinal, pointers) else { return .stop }
          }
        }
        return .open
      }
    }
  }

  /// Returns the number of features in a region.
  func countFeatures(in region: some IndexRegion) -> Int {
    var total = 0
    walk(
      region,
      take: { node, pointers in
        total += pointers.count(of: node)
        return .taken
      },
      point: { _, _ in
        total += 1
        return true
      })
    return total
  }

  /// Calls `body` with the ordinals of a region's features in index order until it returns false.
  /// The first `offset` features are skipped in O(log n).
  func forEachOrdinal(
    in region: some IndexRegion, offset: Int = 0, _ body: (Int) -> Bool
  ) {
    var toSkip = offset
    walk(
      region,
      take: { node, pointers in
        let count = pointers.count(of: node)
        if toSkip >= count {
          toSkip -= count
          return .taken
        }
        let goesOn = pointers.forEachRun(of: node) { run in
          let skipped = min(toSkip, run.count)
          toSkip -= skipped
          return run.dropFirst(skipped).allSatisfy(body)
        }
        return goesOn ? .taken : .stop
      },
      point: { ordinal, _ in
        if toSkip > 0 {
          toSkip -= 1
          return true
        }
        return body(ordinal)
      })
  }

  /// Calls `body` with the runs of a region's ordinals in index order until it returns false.
  @inline(__always)
  func forEachRun(in region: some IndexRegion, _ body: (Range<Int>) -> Bool) {
    // Adjacent runs are passed on as one.
    var pending = 0..<0
    var goesOn = true
    func add(_ run: Range<Int>) -> Bool {
      if run.lowerBound == pending.upperBound && !pending.isEmpty
        && (isDense || !PointIndex.beginsBlock(run.lowerBound))
      {
        pending = pending.lowerBound..<run.upperBound
        return true
      }
      if !pending.isEmpty { goesOn = body(pending) }
      pending = run
      return goesOn
    }
    walk(
      region,
      take: { node, pointers in pointers.forEachRun(of: node, add) ? .taken : .stop },
      point: { ordinal, _ in add(ordinal..<ordinal + 1) })
    if goesOn && !pending.isEmpty { _ = body(pending) }
  }
}
