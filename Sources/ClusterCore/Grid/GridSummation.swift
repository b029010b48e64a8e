import CHints
import CVectors
import Threading

/// Adds up a region's features by the cells of a grid range in one descent of the tree: a node within
/// one cell is added whole, a node across a grid line is opened, and a leaf across one is split or
/// scanned.
///
/// Deciding about nodes and adding them are separate steps. Whatever a decision requires is prefetched
/// at once and added later, together with many others, because the summation of a large viewport would
/// otherwise spend most of its time waiting for memory.
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
  private let vectorWindow: UnsafeMutablePointer<cvectors_window>
  /// What the vectorized code found about some siblings.
  private let vectorCells: UnsafeMutablePointer<cvectors_cells>
  private var wholes = Batch<Whole>(capacity: 64)
  private var leaves = Batch<Leaf>(capacity: 32)

  /// A node within one cell.
  private struct Whole: BitwiseCopyable {
    var sum: UnsafePointer<NodeSum>
    var box: PositionBox
    var first: Int
    var cell: CellPosition
  }

  /// A leaf that crosses a grid line or lies only partly in the region.
  private struct Leaf: BitwiseCopyable {
    var begin: Int
    var end: Int
    var box: PositionBox
    var span: GridWindow.CellSpan

    @inline(__always)
    var points: Range<Int> { begin..<end }
  }

  /// The sums of the cells that hold any of the region's features other than the excluded ones,
  /// ordered by row and column.
  ///
  /// The result depends neither on the vectorized loops nor on `sharedFrom`, the number of blocks from
  /// which on processors share the work.
  static func sums(
    of points: PointIndex, in region: Region, by cells: GridRange, excluding excluded: OrdinalSet,
    countingLocations: Bool, vectors: Vectors? = .best,
    sharedFrom: Int = Processors.count == 1 ? .max : 512
  ) -> [CellSum] {
    let sums = CellSums(cells)
    withExtendedLifetime(points) {
      for columns in cells.columnRanges where !columns.isEmpty && !cells.rows.isEmpty {
        GridSummation(
          of: points, in: region, columns, excluding: excluded,
          countingLocations: countingLocations, into: sums, vectors
        ).descend(sharedFrom: sharedFrom)
      }
      sums.resolveFirsts(in: points.pointers)
    }
    return sums.inOrder
  }

  private init(
    of points: PointIndex, in region: Region, _ columns: Range<Int>, excluding excluded: OrdinalSet,
    countingLocations: Bool, into sums: CellSums, _ vectors: Vectors?
  ) {
    self.points = points
    self.region = region
    self.columns = columns
    pointers = points.pointers
    window = GridWindow(sums.cells, columns)
    self.excluded = excluded
    self.countingLocations = countingLocations
    self.sums = sums
    self.vectors = vectors
    canSplit = Region.self == EverywhereRegion.self && excluded.isEmpty && !countingLocations
    vectorWindow = .allocate(capacity: 1)
    vectorWindow.initialize(to: window.forVectors)
    vectorCells = .allocate(capacity: 1)
    vectorCells.initialize(to: cvectors_cells())
  }

  deinit {
    vectorWindow.deallocate()
    vectorCells.deallocate()
    wholes.items.deallocate()
    leaves.items.deallocate()
  }

  private func descend(sharedFrom: Int) {
    if countingLocations {
      // Locations are counted by comparison with the feature before, so the order matters.
      pointers.traverse {
        let own = pointers.nodes[$0]
        let isOpened = look(at: $0, own)
        addLeaves()
        return isOpened ? .open : .skip
      }
    } else if pointers.count > 0 {
      let blocks = blocksToOpen()
      if blocks.count < sharedFrom {
        descend(into: blocks)
      } else {
        descendTogether(into: blocks)
      }
    }
  }

  /// Visits the nodes of blocks with all processors. Parts are handed out one by one, as some
  /// processors may be busy otherwise.
  private func descendTogether(into blocks: FixedArray<Siblings>) {
    let parts = 8 * ParallelWork.threads
    let found = Locked<[CellSum]>([])
    ParallelWork.run(parts) {
      [points, region, cells = sums.cells, columns, excluded, vectors] part in
      let sums = CellSums(cells)
      GridSummation(
        of: points, in: region, columns, excluding: excluded, countingLocations: false, into: sums,
        vectors
      ).descend(
        into: blocks.slice(blocks.count * part / parts..<blocks.count * (part + 1) / parts))
      found.withLock { $0 += sums.inNoOrder }
    }
    found.withLock { for sum in $0 { sums.sum(of: sum.cell).pointee.add(sum) } }
    addAll()
  }

  // MARK: - Deciding

  /// Siblings that are to be visited.
  private struct Siblings: BitwiseCopyable {
    /// The number of the first node.
    let first: Int
    let count: Int
  }

  /// The number of blocks that are visited together: enough to have work in others while one waits for
  /// memory, and few enough that a block is still in the cache a level later.
  private static var blocksAtOnce: Int { 16 }

  /// Visits the nodes above the blocks; returns the siblings within blocks that are to be visited.
  private func blocksToOpen() -> FixedArray<Siblings> {
    var above = GrowingArray<Siblings>(capacity: 256)
    var inBlocks = GrowingArray<Siblings>(capacity: 256)
    let root = Siblings(first: pointers.root, count: 1)
    if pointers.isAboveBlocks(root.first) { above.append(root) } else { inBlocks.append(root) }
    var next = 0
    while next < above.count {
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
    return inBlocks.fixed
  }

  /// Visits the nodes of blocks level by level.
  private func descend(into blocks: FixedArray<Siblings>) {
    let step = GridSummation.blocksAtOnce
    var queue = GrowingArray<Siblings>(capacity: 256)
    var start = 0
    while start < blocks.count {
      let end = min(start &+ step, blocks.count)
      let later = min(end &+ step, blocks.count)
      // The tables that tell where nodes are come first, then the nodes.
      for index in later..<min(later &+ step, blocks.count) {
        pointers.prefetchTable(of: blocks.pointer[index].first)
      }
      for index in end..<later { prefetch(blocks.pointer[index]) }
      queue.removeAll()
      for index in start..<end { queue.append(blocks.pointer[index]) }
      var next = 0
      while next < queue.count {
        look(at: queue.pointer[next]) { children in
          prefetch(children)
          queue.append(children)
        }
        next &+= 1
      }
      start = end
      if Interruption.poll(queue.count &* 100) { break }
    }
    addAll()
  }

  /// Prefetches the nodes of siblings, which lie on up to three cache lines.
  @inline(__always)
  private func prefetch(_ siblings: Siblings) {
    let nodes = pointers.pointer(to: siblings.first)
    chints_prefetch(nodes)
    chints_prefetch(nodes + siblings.count / 2)
    chints_prefetch(nodes + siblings.count - 1)
  }

  /// Decides about siblings and calls `open` with the children of those to be opened.
  @inline(__always)
  private func look(at siblings: Siblings, _ open: (Siblings) -> Void) {
    let nodes = pointers.pointer(to: siblings.first)
    vectors?.functions.look(nodes, siblings.count, vectorWindow, vectorCells)
    for offset in 0..<siblings.count {
      let node = siblings.first &+ offset
      guard look(at: node, nodes[offset], offset) else { continue }
      let children = pointers.children(of: node, nodes[offset])
      open(Siblings(first: children.lowerBound, count: children.count))
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
    let leaf = Leaf(
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
      sum.pointee.begin(at: points.lowerBound, isExact: true)
      sum.pointee.add(node: node, points, in: pointers, countingLocations: true)
      return
    }
    let sum = pointers.sums[node]
    chints_prefetch(sum)
    let whole = Whole(
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
      sum.pointee.begin(at: whole.first, isExact: true)
      sum.pointee.sum.add(whole.sum.pointee, whole.box)
    }
    wholes.count = 0
  }

  private func addLeaves() {
    for number in 0..<leaves.count {
      let leaf = leaves.items[number]
      if !split(leaf) { scan(leaf.points, leaf.span) }
    }
    leaves.count = 0
  }

  /// Adds the points of a leaf that one line or two crossing lines divide. Returns false if it has to
  /// be scanned instead.
  @inline(__always)
  private func split(_ leaf: Leaf) -> Bool {
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
  private func add(_ part: PointSum, of points: Range<Int>, _ cell: CellPosition) {
    guard part.count > 0 else { return }
    let sum = sums.sum(of: cell)
    sum.pointee.begin(at: points.lowerBound, isExact: false)
    sum.pointee.sum.add(part)
  }

  /// Adds the points of a leaf run by run: neighbours in Z-order are mostly in the same cell.
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
        sum.pointee.begin(at: start, isExact: true)
        sum.pointee.add(start..<stop, in: pointers, countingLocations: countingLocations)
      }
      (start, current) = (stop, next)
    }
  }
}
