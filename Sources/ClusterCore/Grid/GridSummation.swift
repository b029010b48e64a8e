import CHints
import CVectors
import Threading

/// Adds up a region's features by the cells of a grid range in one descent of the tree: a node within
/// one cell is added whole, a node across a grid line is opened, and a leaf across one is split or
/// scanned.
///
/// Deciding about nodes and adding them are separate steps. The memory that a decision needs is
/// prefetched at once and used later, together with that of many others, because the summation of a
/// large viewport would otherwise spend most of its time waiting for memory.
///
/// The nodes that a viewport of very many features has to open are shared among all processors.
final class GridSummation<Region: IndexRegion> {
  private let points: PointIndex
  private let region: Region
  private let pointers: IndexPointers
  private let columns: Range<Int>
  private let window: GridWindow
  private let excluded: OrdinalSet
  private let countingLocations: Bool
  private let sums: CellSums
  /// Whether only the positions of points matter, so that leaves can be split by ``LeafSplit``.
  private let canSplit: Bool
  /// Vectorized versions of some loops; nil if the processor lacks the instructions.
  private let vectors: Vectors?
  private let scratch: GridScratch
  private let vectorWindow: UnsafeMutablePointer<cvectors_window>
  /// The results of the vectorized code for some siblings.
  private let vectorCells: UnsafeMutablePointer<cvectors_cells>
  private let located: UnsafeMutablePointer<cvectors_points>
  private var wholes: Batch<GridScratch.Whole>
  private var leaves: Batch<GridScratch.Leaf>
  /// The number of cells beyond which the sums aren't needed.
  private let limit: Int

  init(
    of points: PointIndex, in region: Region, _ columns: Range<Int>, excluding excluded: OrdinalSet,
    countingLocations: Bool, limit: Int, _ scratch: GridScratch, _ vectors: Vectors?
  ) {
    self.points = points
    self.region = region
    self.columns = columns
    pointers = points.pointers
    window = GridWindow(scratch.sums.cells, columns)
    self.excluded = excluded
    self.countingLocations = countingLocations
    self.limit = limit
    self.scratch = scratch
    (sums, wholes, leaves) = (scratch.sums, scratch.wholes, scratch.leaves)
    self.vectors = vectors
    canSplit = Region.self == EverywhereRegion.self && excluded.isEmpty && !countingLocations
    (vectorWindow, vectorCells) = (scratch.window, scratch.cells)
    located = scratch.points
    vectorWindow.pointee = window.forVectors
    vectorCells.pointee.is_clear = 0
  }

  /// Whether there are more cells than needed.
  private var isFull: Bool { sums.count > limit }

  /// - Parameter starts: the nodes whose features are added up, one after the other; nil for the root.
  func descend(from starts: GrowingArray<GridScratch.Siblings>? = nil, sharedFrom: Int) {
    if countingLocations {
      // Locations are counted by comparison with the feature before, so the order matters.
      pointers.traverse {
        if isFull { return .stop }
        let own = pointers.nodes[$0]
        let isOpened = look(at: $0, own)
        addLeaves()
        return isOpened ? .open : .skip
      }
    } else if pointers.count > 0 {
      findBlocksToOpen(starts)
      if scratch.inBlocks.count < sharedFrom {
        descend(into: UnsafePointer(scratch.inBlocks.pointer), 0..<scratch.inBlocks.count)
      } else {
        descendTogether()
      }
    }
  }

  /// Visits the nodes of blocks with all processors. Parts are handed out one by one, as some
  /// processors may be busy otherwise.
  private func descendTogether() {
    let parts = 8 * ParallelWork.threads
    // Nothing is appended to it before all parts have ended.
    let (blocks, count) = (scratch.inBlocks.fixed, scratch.inBlocks.count)
    let found = Locked<(sums: [CellSum], isFull: Bool)>(([], false))
    ParallelWork.run(parts) {
      [points, region, cells = sums.cells, columns, excluded, limit, vectors] part in
      if found.withLock({ $0.isFull }) { return }
      GridScratch.with(cells) { scratch in
        GridSummation(
          of: points, in: region, columns, excluding: excluded, countingLocations: false,
          limit: limit, scratch, vectors
        ).descend(into: blocks.pointer, count * part / parts..<count * (part + 1) / parts)
        found.withLock {
          $0.sums += scratch.sums.inNoOrder
          $0.isFull = $0.isFull || scratch.sums.count > limit
        }
      }
    }
    found.withLock { for sum in $0.sums { sums.sum(of: sum.cell).pointee.add(sum) } }
    addAll()
  }

  // MARK: - Deciding

  /// The number of blocks that are visited together: enough to have work in others while one waits for
  /// memory, and few enough that a block is still in the cache a level later.
  private static var blocksAtOnce: Int { 16 }

  /// Visits the nodes above the blocks; leaves in the scratch the siblings within blocks that are to be visited.
  private func findBlocksToOpen(_ starts: GrowingArray<GridScratch.Siblings>?) {
    var (above, inBlocks) = (scratch.above, scratch.inBlocks)
    above.removeAll()
    inBlocks.removeAll()
    for number in 0..<(starts?.count ?? 1) {
      let start =
        starts?.pointer[number] ?? GridScratch.Siblings(first: pointers.root, count: 1)
      if pointers.isAboveBlocks(start.first) { above.append(start) } else { inBlocks.append(start) }
    }
    var next = 0
    while next < above.count, !isFull {
      look(at: above.pointer[next]) { children in
        if pointers.isAboveBlocks(children.first) {
          prefetch(children)
          above.append(children)
        } else {
          inBlocks.append(children)
        }
      }
      next &+= 1
    }
    (scratch.above, scratch.inBlocks) = (above, inBlocks)
  }

  /// Visits the nodes of some of the blocks level by level.
  private func descend(into blocks: UnsafePointer<GridScratch.Siblings>, _ range: Range<Int>) {
    let step = GridSummation.blocksAtOnce
    var queue = scratch.queue
    var start = range.lowerBound
    while start < range.upperBound, !isFull {
      let end = min(start &+ step, range.upperBound)
      let later = min(end &+ step, range.upperBound)
      // The tables that tell where nodes are come first, then the nodes.
      for index in later..<min(later &+ step, range.upperBound) {
        pointers.prefetchTable(of: blocks[index].first)
      }
      for index in end..<later { prefetch(blocks[index]) }
      queue.removeAll()
      for index in start..<end { queue.append(blocks[index]) }
      var next = 0
      while next < queue.count, !isFull {
        look(at: queue.pointer[next]) { children in
          prefetch(children)
          queue.append(children)
        }
        next &+= 1
      }
      start = end
      if Interruption.poll(queue.count &* 100) { break }
    }
    scratch.queue = queue
    addAll()
  }

  /// Prefetches the nodes of siblings, which lie on up to three cache lines.
  @inline(__always)
  private func prefetch(_ siblings: GridScratch.Siblings) {
    let nodes = pointers.pointer(to: siblings.first)
    chints_prefetch(nodes)
    chints_prefetch(nodes + siblings.count / 2)
    chints_prefetch(nodes + siblings.count - 1)
  }

  /// Decides about siblings and calls `open` with the children of those to be opened.
  @inline(__always)
  private func look(at siblings: GridScratch.Siblings, _ open: (GridScratch.Siblings) -> Void) {
    let nodes = pointers.pointer(to: siblings.first)
    vectors?.functions.look(nodes, siblings.count, vectorWindow, vectorCells)
    for offset in 0..<siblings.count {
      let node = siblings.first &+ offset
      guard look(at: node, nodes[offset], offset) else { continue }
      let children = pointers.children(of: node, nodes[offset])
      open(GridScratch.Siblings(first: children.lowerBound, count: children.count))
    }
  }

  /// Decides about one of the siblings that the vectorized code has looked at, if there is any.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node, _ sibling: Int) -> Bool {
    guard vectorCells.pointee.is_clear &>> sibling & 1 != 0 else { return look(at: node, own) }
    guard vectorCells.pointee.is_touched &>> sibling & 1 != 0 else { return false }
    return decide(node, own, GridWindow.CellSpan(vectorCells, sibling))
  }

  /// Decides about a node; returns whether to open it.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node) -> Bool {
    guard window.touches(own.box), let span = window.span(of: own.box) else { return false }
    return decide(node, own, span)
  }

  @inline(__always)
  private func decide(_ node: Int, _ own: Quadtree.Node, _ span: GridWindow.CellSpan) -> Bool {
    if span.isOneCell {
      switch region.coverage(of: node, in: pointers) {
      case .outside: return false
      case .inside where excluded.isEmpty || !excluded.intersects(pointers.points(of: node, own)):
        take(node, own, span.first)
        return false
      case .inside, .partial: break
      }
    }
    guard own.isLeaf else { return true }
    let points = pointers.points(of: node, own)
    prefetch(points)
    let leaf = GridScratch.Leaf(
      begin: points.lowerBound, end: points.upperBound, box: own.box, span: span)
    if leaves.append(leaf) { addLeaves() }
    return false
  }

  /// Adds all of a node to a cell, now or with others later.
  @inline(__always)
  private func take(_ node: Int, _ own: Quadtree.Node, _ cell: CellPosition) {
    let points = pointers.points(of: node, own)
    if countingLocations {
      let sum = sums.sum(of: cell)
      sum.pointee.begin(at: points.lowerBound)
      sum.pointee.add(node: node, points, in: pointers, countingLocations: true)
      return
    }
    let sum = pointers.sums[node]
    chints_prefetch(sum)
    let whole = GridScratch.Whole(
      sum: sum, box: own.box, first: points.lowerBound, cell: cell)
    if wholes.append(whole) { addWholes() }
  }

  /// Prefetches the positions of a leaf.
  @inline(__always)
  private func prefetch(_ points: Range<Int>) {
    // A cache line holds eight positions. The hardware prefetches the rest of larger leaves.
    let end = min(points.upperBound, points.lowerBound &+ Quadtree.leafCapacity)
    let positions = pointers.block(of: points.lowerBound).positions
    var ordinal = points.lowerBound
    while ordinal < end {
      chints_prefetch(positions + ordinal)
      ordinal &+= 8
    }
    // The leaf need not begin at the start of a cache line.
    chints_prefetch(positions + end - 1)
  }

  // MARK: - Adding

  /// Adds everything that is still in a batch.
  private func addAll() {
    addWholes()
    addLeaves()
  }

  private func addWholes() {
    for number in 0..<wholes.count {
      let whole = wholes.items[number]
      let sum = sums.sum(of: whole.cell)
      sum.pointee.begin(at: whole.first)
      sum.pointee.sum.add(whole.sum.pointee, whole.box)
    }
    wholes.count = 0
  }

  private func addLeaves() {
    for number in 0..<leaves.count {
      let leaf = leaves.items[number]
      if !split(leaf) { scan(leaf) }
    }
    leaves.count = 0
  }

  /// Adds the points of a leaf that one line or two crossing lines divide. Returns false if it has to
  /// be scanned instead.
  @inline(__always)
  private func split(_ leaf: GridScratch.Leaf) -> Bool {
    let (span, points) = (leaf.span, leaf.points)
    guard canSplit, span.isInWindow, !leaf.box.isPolar else { return false }
    let (first, last) = (span.first, span.last)
    let (columns, rows) = (last.column &- first.column, last.row &- first.row)
    guard columns <= 1, rows <= 1 else { return false }
    let lines = window.lines(in: span)
    let split = LeafSplit(
      pointers.block(of: points.lowerBound).positions + points.lowerBound, count: points.count,
      leaf.box, pointers.degrees, vectors)
    if columns == 0 || rows == 0 {
      let isColumn = rows == 0
      guard
        let (before, behind) = split.halves(at: isColumn ? lines.x : lines.y, isColumn: isColumn)
      else { return false }
      add(before, of: points, first)
      add(behind, of: points, last)
      return true
    }
    guard let (a, b, c, d) = split.quarters(at: lines.x, lines.y) else { return false }
    add(a, of: points, first)
    add(b, of: points, CellPosition(column: last.column, row: first.row))
    add(c, of: points, CellPosition(column: first.column, row: last.row))
    add(d, of: points, last)
    return true
  }

  /// Adds the sum of those points of a leaf that are in a cell.
  @inline(__always)
  private func add(_ part: LeafSplit.Part, of points: Range<Int>, _ cell: CellPosition) {
    guard part.count > 0 else { return }
    let sum = sums.sum(of: cell)
    sum.pointee.begin(at: points.lowerBound &+ part.first)
    sum.pointee.sum.add(part.sum)
  }

  /// Adds the points of a leaf that many lines divide.
  private func scan(_ leaf: GridScratch.Leaf) {
    if canSplit, !leaf.box.isPolar {
      scatter(leaf)
    } else {
      scan(leaf.points, leaf.span)
    }
  }

  /// Adds the points of a leaf one by one; their cells and latitudes are found for eight at a time.
  @inline(never)
  private func scatter(_ leaf: GridScratch.Leaf) {
    let (lines, features) = (window.lines(in: leaf.span), pointers.block(of: leaf.begin))
    let latitudes = pointers.degrees.forVectors(
      isOneInterval: StepDegrees.interval(of: leaf.box.minY)
        == StepDegrees.interval(of: leaf.box.maxY))
    var start = leaf.begin
    while start < leaf.end {
      let count = min(8, leaf.end &- start)
      let positions = features.positions + start
      if let vectors {
        let points = UnsafeRawPointer(positions).assumingMemoryBound(to: UInt64.self)
        vectors.functions.locate(points, count, vectorWindow, latitudes, located)
      } else {
        window.locate(positions, count, pointers.degrees, located)
      }
      for offset in 0..<count {
        let ordinal = start &+ offset
        var cell = CellPosition(located, offset)
        if located.pointee.is_clear &>> offset & 1 != 0 {
          guard located.pointee.is_inside &>> offset & 1 != 0 else { continue }
        } else {
          guard
            let exact = window.cell(of: ordinal, among: leaf.span, lines, in: features, pointers)
          else { continue }
          cell = exact
        }
        let sum = sums.sum(of: cell)
        sum.pointee.begin(at: ordinal)
        sum.pointee.sum.add(features.positions[ordinal], latitude: located.latitude(offset))
      }
      start &+= count
    }
  }

  /// Adds those points of a leaf that are in the region, run by run: neighbours in Z-order are mostly in the
  /// same cell.
  @inline(never)
  private func scan(_ points: Range<Int>, _ span: GridWindow.CellSpan) {
    let lines = window.lines(in: span)
    let hasExcluded = !excluded.isEmpty
    let features = pointers.block(of: points.lowerBound)
    func cell(of ordinal: Int) -> CellPosition? {
      guard
        let cell = window.cell(of: ordinal, among: span, lines, in: features, pointers),
        !(hasExcluded && excluded.contains(ordinal)), region.contains(ordinal, in: pointers)
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
        let sum = sums.sum(of: current)
        sum.pointee.begin(at: start)
        sum.pointee.add(start..<stop, in: pointers, countingLocations: countingLocations)
      }
      (start, current) = (stop, next)
    }
  }
}
