import CHints

/// Sums up a region's features by the cells of a grid range, in one descent of the tree: a node
/// within one cell is added whole, a node across a grid line is opened, a leaf across one is
/// scanned.
///
/// Deciding about nodes and adding them up are a few steps apart: what a decision leads to is asked
/// of memory at once and added when it has arrived (``pending``), because most of a large view's
/// time would be spent waiting for it.
final class GridAggregation<Region: IndexRegion> {
  private let region: Region
  private let view: IndexView
  private let window: GridWindow
  private let excluded: PlaceSet
  private let countingLocations: Bool
  private let sums: CellSums
  /// A ring of nodes that are decided about and not yet added, the oldest at `oldest`.
  private let pending: UnsafeMutablePointer<Pending>
  private var pushed = 0
  private var done = 0
  private static var ringSize: Int { 16 }

  private struct Pending: BitwiseCopyable {
    var node: Int
    var block: GridWindow.Block
    var isWhole: Bool
  }

  /// The sums of the cells that hold any of the region's features, without the excluded ones; by
  /// row and column. Locations are counted only if asked for.
  static func sums(
    of points: PointIndex, in region: Region, by cells: GridRange, excluding excluded: PlaceSet,
    countingLocations: Bool
  ) -> [CellSum] {
    let sums = CellSums(cells)
    withExtendedLifetime(points) {
      for columns in cells.columnRanges where !columns.isEmpty && !cells.rows.isEmpty {
        GridAggregation(
          region: region, view: points.view, window: GridWindow(cells, columns),
          excluded: excluded, countingLocations: countingLocations, sums: sums
        ).descend()
      }
    }
    return sums.inOrder
  }

  private init(
    region: Region, view: IndexView, window: GridWindow, excluded: PlaceSet,
    countingLocations: Bool, sums: CellSums
  ) {
    self.region = region
    self.view = view
    self.window = window
    self.excluded = excluded
    self.countingLocations = countingLocations
    self.sums = sums
    pending = .allocate(capacity: GridAggregation.ringSize)
  }

  deinit { pending.deallocate() }

  private func descend() {
    let hasExcluded = !excluded.isEmpty
    view.traverse { node in
      let box = view.nodes[node].box
      guard window.touches(box), let block = window.block(of: box) else { return .skip }
      if block.isOneCell {
        let coverage = region.coverage(of: node, in: view)
        if coverage == .outside { return .skip }
        if coverage == .inside && !(hasExcluded && excluded.intersects(view.points(of: node))) {
          push(Pending(node: node, block: block, isWhole: true))
          return .skip
        }
      }
      guard view.nodes[node].isLeaf else { return .open }
      push(Pending(node: node, block: block, isWhole: false))
      return .skip
    }
    while done < pushed { addOldest() }
  }

  @inline(__always)
  private func push(_ item: Pending) {
    if item.isWhole {
      view.prefetchAggregate(item.node)
    } else {
      let points = view.points(of: item.node)
      // Eight positions are a cache line. What a leaf beyond its capacity holds more, the hardware
      // foresees.
      let end = min(points.upperBound, points.lowerBound &+ Quadtree.leafCapacity)
      let block = view.block(of: points.lowerBound)
      var place = points.lowerBound
      while place < end {
        chints_prefetch(block.positions + place)
        place &+= 8
      }
    }
    if pushed &- done == GridAggregation.ringSize { addOldest() }
    pending[pushed % GridAggregation.ringSize] = item
    pushed &+= 1
  }

  @inline(__always)
  private func addOldest() {
    let item = pending[done % GridAggregation.ringSize]
    done &+= 1
    let points = view.points(of: item.node)
    if item.isWhole {
      sums.sum(of: item.block.first, first: points.lowerBound).pointee
        .add(node: item.node, points, in: view, countingLocations: countingLocations)
    } else {
      scan(points, item.block)
    }
  }

  /// Adds the points of a leaf, run by run: neighbours in Z-order are mostly in the same cell.
  private func scan(_ points: Range<Int>, _ block: GridWindow.Block) {
    let lines = window.lines(in: block)
    let hasExcluded = !excluded.isEmpty
    let features = view.block(of: points.lowerBound)
    func cell(of place: Int) -> CellPosition? {
      guard
        let cell = window.cell(of: place, among: block, lines, in: features, view),
        !(hasExcluded && excluded.contains(place)), region.contains(place, in: view)
      else { return nil }
      return cell
    }
    var start = points.lowerBound
    var current = cell(of: start)
    while start < points.upperBound {
      var stop = start &+ 1
      var next: CellPosition?
      while stop < points.upperBound {
        next = cell(of: stop)
        if next != current { break }
        stop &+= 1
      }
      if let current {
        sums.sum(of: current, first: start).pointee
          .add(start..<stop, in: view, countingLocations: countingLocations)
      }
      (start, current) = (stop, next)
    }
  }
}
