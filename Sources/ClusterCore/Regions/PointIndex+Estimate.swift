import Glibc

extension PointIndex {
  /// The most nodes and points that an estimate looks at.
  private static let (estimatedNodes, estimatedPoints) = (400, 1000)

  /// Estimates a region from the nodes at the top of the tree, in a few microseconds. Nearly exact if they or
  /// few points tell.
  ///
  /// - Parameter cellSteps: the width of a cell in steps of positions.
  func estimate(in region: some IndexRegion, cellSteps: Double) -> CellEstimate {
    var found = CellEstimate()
    guard count > 0 else { return found }
    withExtendedLifetime(self) {
      let pointers = self.pointers
      var queue = [pointers.root]
      queue.reserveCapacity(PointIndex.estimatedNodes + 4)
      var (next, points) = (0, PointIndex.estimatedPoints)
      while next < queue.count {
        let node = queue[next]
        next += 1
        let coverage = region.coverage(of: node, in: pointers)
        if coverage == .outside { continue }
        let own = pointers.nodes[node]
        let width = Double(own.box.maxX - own.box.minX) / cellSteps
        let height = Double(own.box.maxY - own.box.minY) / cellSteps
        let isInside = coverage == .inside
        let isWithinCell = isInside && max(width, height) < 1
        if !isWithinCell, own.isLeaf, own.range.count <= points {
          points -= own.range.count
          scan(pointers.points(of: node), in: region, cellSteps, pointers, &found)
          continue
        }
        if !isWithinCell, !own.isLeaf, queue.count < PointIndex.estimatedNodes {
          queue += pointers.children(of: node)
          continue
        }
        // A third of what lies across the region's edge is taken to be inside.
        let part = isInside ? 1 : 0.33
        let features = part * Double(pointers.count(of: node))
        found.features += features
        if isWithinCell {
          // Its neighbours are often in the same cell.
          found.cells += 0.4 + max(width, height) * 0.6
        } else {
          found.cells += PointIndex.filledCells(of: part * (width + 1) * (height + 1), features)
        }
      }
    }
    return found
  }

  /// Adds the points of a leaf one by one. Neighbours in Z-order are mostly in the same cell.
  private func scan(
    _ points: Range<Int>, in region: some IndexRegion, _ cellSteps: Double,
    _ pointers: IndexPointers, _ found: inout CellEstimate
  ) {
    var last = (-1.0, -1.0)
    for ordinal in points where region.contains(ordinal, in: pointers) {
      found.features += 1
      let position = pointers.positions[ordinal]
      let cell = (
        (Double(position.x) / cellSteps).rounded(.down),
        (Double(position.y) / cellSteps).rounded(.down)
      )
      if cell != last { found.cells += 1 }
      last = cell
    }
  }

  /// About how many of some cells hold any of some features, which crowd in a part of them.
  private static func filledCells(of cells: Double, _ features: Double) -> Double {
    let usable = pow(cells, 0.85)
    return usable * -expm1(-features / usable)
  }
}
