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
  /// Whether nothing but where points are matters.
  private let canSplit: Bool
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
    canSplit = excluded.isEmpty && !countingLocations
    pending = .allocate(capacity: GridAggregation.ringSize)
  }

  deinit { pending.deallocate() }

  private func descend() {
    if countingLocations {
      // They are told apart by what came before.
      view.traverse { look(at: $0, view.nodes[$0]) ? .open : .skip }
    } else {
      descendByLevels()
    }
    while done < pushed { addOldest() }
  }

  /// Siblings that are to be looked at.
  private struct Siblings: BitwiseCopyable {
    /// What the first is known by.
    let first: Int
    let count: Int
  }

  /// Looks at all nodes of a level before those of the next, so that it is known long before which
  /// memory will be looked at.
  private func descendByLevels() {
    guard view.count > 0 else { return }
    let ahead = 8
    var queue = GrowingArray<Siblings>(capacity: 256)
    queue.append(Siblings(first: view.root, count: 1))
    var next = 0
    while next < queue.count {
      // Where nodes are is asked for first, then the nodes.
      if next &+ 2 &* ahead < queue.count {
        view.prefetchTable(of: queue.pointer[next &+ 2 &* ahead].first)
      }
      if next &+ ahead < queue.count {
        let later = UnsafeRawPointer(view.pointer(to: queue.pointer[next &+ ahead].first))
        chints_prefetch(later)
        chints_prefetch(later + 64)
      }
      let siblings = queue.pointer[next]
      let nodes = view.pointer(to: siblings.first)
      next &+= 1
      for offset in 0..<siblings.count {
        let node = siblings.first &+ offset
        guard look(at: node, nodes[offset]) else { continue }
        let children = view.children(of: node, nodes[offset])
        queue.append(Siblings(first: children.lowerBound, count: children.count))
      }
    }
  }

  /// Decides about a node; whether to look at its children, too.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node) -> Bool {
    guard window.touches(own.box), let block = window.block(of: own.box) else { return false }
    if block.isOneCell {
      let coverage = region.coverage(of: node, in: view)
      if coverage == .outside { return false }
      let isWhole =
        coverage == .inside
        && (excluded.isEmpty || !excluded.intersects(view.points(of: node)))
      if isWhole {
        push(Pending(node: node, block: block, isWhole: true))
        return false
      }
    }
    guard own.isLeaf else { return true }
    push(Pending(node: node, block: block, isWhole: false))
    return false
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
      let sum = sums.sum(of: item.block.first, first: points.lowerBound)
      sum.pointee.first = min(sum.pointee.first, points.lowerBound)
      sum.pointee.add(node: item.node, points, in: view, countingLocations: countingLocations)
    } else if !split(item.node, points, item.block) {
      scan(points, item.block)
    }
  }

  /// Adds the points of a leaf across one line or two that cross.
  ///
  /// - Returns: false where it takes a look at each point.
  @inline(__always)
  private func split(_ node: Int, _ points: Range<Int>, _ block: GridWindow.Block) -> Bool {
    guard Region.self == EverywhereRegion.self, canSplit, block.isInWindow else { return false }
    let box = view.nodes[node].box
    guard !box.isPolar else { return false }
    let (first, last) = (block.first, block.last)
    let (columns, rows) = (last.column &- first.column, last.row &- first.row)
    guard columns <= 1, rows <= 1 else { return false }
    let lines = window.lines(in: block)
    let split = LeafSplit(
      view.block(of: points.lowerBound).positions + points.lowerBound, count: points.count,
      box, view.degrees)
    if columns == 0 || rows == 0 {
      let isColumn = rows == 0
      guard
        let halves = split.halves(at: isColumn ? lines.x : lines.y, isColumn: isColumn)
      else { return false }
      add(halves.0, points, first, lines, block)
      add(halves.1, points, last, lines, block)
      return true
    }
    guard let quarters = split.quarters(at: lines.x, lines.y) else { return false }
    add(quarters.0, points, first, lines, block)
    add(
      quarters.1, points, CellPosition(column: last.column, row: first.row), lines, block)
    add(
      quarters.2, points, CellPosition(column: first.column, row: last.row), lines, block)
    add(quarters.3, points, last, lines, block)
    return true
  }

  @inline(__always)
  private func add(
    _ side: LeafSplit.Side, _ points: Range<Int>, _ cell: CellPosition, _ lines: GridWindow.Lines,
    _ block: GridWindow.Block
  ) {
    guard let sum = side.sum else { return }
    let known = sums.sum(of: cell, first: .max)
    known.pointee.add(sum)
    if known.pointee.first > points.lowerBound {
      let first = firstPlace(of: cell, points, lines, block)
      known.pointee.first = min(known.pointee.first, first)
    }
  }

  /// The first of a leaf's points that is in a cell, in which there is one.
  @inline(never)
  private func firstPlace(
    of cell: CellPosition, _ points: Range<Int>, _ lines: GridWindow.Lines,
    _ block: GridWindow.Block
  ) -> Int {
    let features = view.block(of: points.lowerBound)
    return points.first {
      window.cell(of: $0, among: block, lines, in: features, view) == cell
    } ?? points.lowerBound
  }

  /// Adds the points of a leaf, run by run: neighbours in Z-order are mostly in the same cell.
  @inline(never)
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
        let sum = sums.sum(of: current, first: start)
        sum.pointee.first = min(sum.pointee.first, start)
        sum.pointee.add(start..<stop, in: view, countingLocations: countingLocations)
      }
      (start, current) = (stop, next)
    }
  }
}
