import Glibc

extension PointIndex {
  /// The most nodes that an estimate looks at.
  private static let estimatedNodes = 400

  /// Estimates a region from the nodes at the top of the tree, in a few microseconds. Exact if those tell.
  ///
  /// - Parameter cellSteps: the width of a cell in steps of positions.
  func estimate(in region: some IndexRegion, cellSteps: Double) -> CellEstimate {
    var found = CellEstimate()
    guard count > 0 else { return found }
    withExtendedLifetime(self) {
      let pointers = self.pointers
      var queue = [pointers.root]
      queue.reserveCapacity(PointIndex.estimatedNodes + 4)
      var next = 0
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
        if !isWithinCell, !own.isLeaf, queue.count < PointIndex.estimatedNodes {
          queue += pointers.children(of: node)
          continue
        }
        // Half of what lies across the region's edge is taken to be inside.
        let part = isInside ? 1 : 0.5
        let features = part * Double(pointers.count(of: node))
        found.features += features
        if isWithinCell {
          // Its neighbours are often in the same cell.
          found.cells += 0.5 + max(width, height) / 2
        } else {
          found.cells += PointIndex.filledCells(of: part * (width + 1) * (height + 1), features)
        }
      }
    }
    return found
  }

  /// About how many of some cells hold any of some features, which are taken to be spread evenly over a
  /// good part of the cells.
  private static func filledCells(of cells: Double, _ features: Double) -> Double {
    let usable = pow(cells, 0.93)
    return usable * -expm1(-features / usable)
  }
}
