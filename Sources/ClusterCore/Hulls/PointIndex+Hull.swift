import Threading

extension PointIndex {
  /// Returns the convex hull of a region's features; nil if there are none.
  ///
  /// A few outermost features are looked for first. The walk over the tree then leaves out all nodes within
  /// the hull found so far, so its cost depends on the features at the edge.
  ///
  /// - Parameters:
  ///   - features: the number of the features.
  ///   - isWide: whether they may be more than half the world apart, so that it may be shorter to go across
  ///     the antimeridian.
  func hull(of region: some IndexRegion, of features: Int, isWide: Bool) -> Hull? {
    let cut = isWide ? widestGap(in: region)?.east ?? 0 : 0
    var builder = HullBuilder()
    for direction in HullDirection.few(for: features) {
      if let found = outermost(direction, in: region, cut: cut) { builder.add(found) }
    }
    builder.settle()
    walk(
      region,
      take: { node, pointers in
        builder.holds(HullBox(pointers.node(node).box, cut: cut)) ? .taken : .open
      },
      point: { ordinal, pointers in
        builder.add(HullPoint(pointers.position(ordinal), cut: cut))
        return !Cancellation.poll(10)
      })
    builder.settle()
    let corners = builder.corners
    guard !corners.isEmpty else { return nil }
    return Hull(corners) { coordinate(ofFirstAt: $0, in: region) }
  }

  /// The coordinate of the first of a region's features at a position.
  private func coordinate(
    ofFirstAt position: Position, in region: some IndexRegion
  ) -> Coordinate {
    var first = 0
    let part = IntersectionRegion(a: PositionRegion(position: position), b: region)
    forEachOrdinal(in: part) { ordinal in
      first = ordinal
      return false
    }
    return coordinate(at: first)
  }

  /// Returns a feature of a region that is as far as possible in a direction; nil if there is none.
  private func outermost(
    _ direction: HullDirection, in region: some IndexRegion, cut: UInt32
  ) -> HullPoint? {
    guard count > 0 else { return nil }
    return withExtendedLifetime(self) {
      var search = Outermost(
        direction: direction, region: region, cut: cut, pointers: pointers)
      search.visit(pointers.root)
      return search.found
    }
  }

  /// A search for the feature that is farthest in a direction.
  private struct Outermost<Region: IndexRegion> {
    let direction: HullDirection
    let region: Region
    let cut: UInt32
    let pointers: IndexPointers
    var best = -Double.infinity
    var found: HullPoint?

    /// Visits a node, and of its children those first that reach farthest. A tree has few levels.
    mutating func visit(_ node: Int) {
      let coverage = region.coverage(of: node, in: pointers)
      if coverage == .outside { return }
      guard !pointers.node(node).isLeaf else {
        for ordinal in pointers.points(of: node) {
          let point = HullPoint(pointers.position(ordinal), cut: cut)
          let reach = direction.reach(of: point)
          guard reach > best, coverage == .inside || region.contains(ordinal, in: pointers) else {
            continue
          }
          (best, found) = (reach, point)
        }
        return
      }
      Cancellation.poll(100)
      var children: [(reach: Double, node: Int)] = []
      for child in pointers.children(of: node) {
        let box = HullBox(pointers.node(child).box, cut: cut)
        children.append((direction.reach(of: box), child))
      }
      children.sort { $0.reach > $1.reach }
      for child in children where child.reach > best { visit(child.node) }
    }
  }
}
