import Glibc

/// About how many features are in a region, and how many cells of a grid hold any of them.
public struct CellEstimate: Sendable {
  /// About the number of features.
  public var features: Double
  /// About the number of features, whether or not they pass a filter.
  public internal(set) var unfiltered: Double
  /// About the number of cells that aren't empty.
  public var cells: Double

  /// Creates an estimate.
  public init(features: Double = 0, cells: Double = 0) {
    (self.features, self.cells, unfiltered) = (features, cells, features)
  }

  /// The estimate for a region that has some cells at most.
  func limited(toCells most: Double) -> CellEstimate {
    var limited = self
    limited.cells = min(cells, most)
    return limited
  }
}

extension PointIndex {
  /// The most nodes and points that an estimate looks at.
  private static let (estimatedNodes, estimatedPoints) = (400, 1000)

  /// Estimates a region from the nodes at the top of the tree, in a few microseconds. Nearly exact if they or
  /// few points tell.
  ///
  /// - Parameters:
  ///   - shapes: shapes that the features are in, too, if any.
  ///   - cellSteps: the width of a cell in steps of positions.
  func estimate(
    in region: some IndexRegion, _ shapes: ShapesRegion? = nil, cellSteps: Double
  ) -> CellEstimate {
    var found = CellEstimate()
    guard count > 0 else { return found }
    withExtendedLifetime(self) {
      let pointers = self.pointers
      let walk = shapes.map { ShapesWalk($0, forgets: false) }
      var queue: [(node: Int, frame: ShapesWalk.Frame?)] = [(pointers.root, walk?.world)]
      queue.reserveCapacity(PointIndex.estimatedNodes + 4)
      var (next, points) = (0, PointIndex.estimatedPoints)
      while next < queue.count {
        var (node, frame) = queue[next]
        next += 1
        var coverage = region.coverage(of: node, in: pointers)
        if coverage == .outside { continue }
        let own = pointers.nodes[node]
        if let walk, let known = frame {
          switch walk.look(at: own.box, in: known) {
          case .outside: continue
          case .inside: frame = nil
          case .partial(let narrower): (frame, coverage) = (narrower, .partial)
          }
        }
        let width = Double(own.box.maxX - own.box.minX) / cellSteps
        let height = Double(own.box.maxY - own.box.minY) / cellSteps
        let isInside = coverage == .inside
        let isWithinCell = isInside && max(width, height) < 1
        if !isWithinCell, own.isLeaf, own.range.count <= points {
          points -= own.range.count
          scan(pointers.points(of: node), cellSteps, pointers, &found) { ordinal in
            guard region.contains(ordinal, in: pointers) else { return false }
            guard let walk, let frame else { return true }
            return walk.contains(ordinal, at: pointers.positions[ordinal], in: frame, pointers)
          }
          continue
        }
        if !isWithinCell, !own.isLeaf, queue.count < PointIndex.estimatedNodes {
          for child in pointers.children(of: node) { queue.append((child, frame)) }
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
    found.unfiltered = found.features
    return found
  }

  /// Adds the points of a leaf one by one. Neighbours in Z-order are mostly in the same cell.
  private func scan(
    _ points: Range<Int>, _ cellSteps: Double, _ pointers: IndexPointers,
    _ found: inout CellEstimate, where contains: (Int) -> Bool
  ) {
    var last = (-1.0, -1.0)
    for ordinal in points where contains(ordinal) {
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

extension PointIndex {
  /// The most nodes that are looked at to tell whether a region holds few features.
  private static let fewNodes = 128

  /// Whether a region certainly holds at most so many features, as the nodes at the top of the tree tell in a
  /// microsecond or two; false if they don't tell.
  func holds(atMost limit: Int, in region: some IndexRegion) -> Bool {
    guard count > limit else { return true }
    return withExtendedLifetime(self) {
      let pointers = self.pointers
      var queue = [pointers.root]
      queue.reserveCapacity(PointIndex.fewNodes + 4)
      var (next, most) = (0, count)
      while most > limit, next < queue.count {
        let node = queue[next]
        next += 1
        switch region.coverage(of: node, in: pointers) {
        case .outside: most -= pointers.count(of: node)
        case .partial where !pointers.nodes[node].isLeaf && queue.count < PointIndex.fewNodes:
          queue += pointers.children(of: node)
        case .partial, .inside: break
        }
      }
      return most <= limit
    }
  }
}
