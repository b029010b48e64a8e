import CHints
import CVectors
import Threading

/// Sums up a region's features by the cells of a grid range, in one descent of the tree: a node
/// within one cell is added whole, a node across a grid line is opened, a leaf across one is
/// split or scanned.
///
/// Deciding about nodes and adding them up are apart: what a decision leads to is asked of memory at
/// once, and added with many others when it has arrived, because most of a large view's time would be
/// spent waiting for it.
///
/// What a view of very many features has to open is shared among all processors.
final class GridAggregation<Region: IndexRegion> {
  private let points: PointIndex
  private let region: Region
  private let view: IndexPointers
  private let columns: Range<Int>
  private let window: GridWindow
  private let excluded: OrdinalSet
  private let countingLocations: Bool
  private let sums: CellSums
  /// Whether nothing but where points are matters.
  private let canSplit: Bool
  /// What does some of it faster; nil where the processor can't.
  private let vectors: Vectors?
  private let vectorWindow: UnsafeMutablePointer<cvectors_window>
  /// What vectors say about some siblings.
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

  /// A leaf across a grid line, or of which not all is in the region.
  private struct Leaf: BitwiseCopyable {
    var begin: Int
    var end: Int
    var box: PositionBox
    var block: GridWindow.Block

    @inline(__always)
    var points: Range<Int> { begin..<end }
  }

  /// The sums of the cells that hold any of the region's features, without the excluded ones; by
  /// row and column. Locations are counted only if asked for.
  ///
  /// - Parameters:
  ///   - vectors: what the processor can; the result doesn't depend on it.
  ///   - sharedFrom: how many blocks have to be opened before processors share them; nor on this.
  static func sums(
    of points: PointIndex, in region: Region, by cells: GridRange, excluding excluded: OrdinalSet,
    countingLocations: Bool, vectors: Vectors? = .best,
    sharedFrom: Int = Processors.count == 1 ? .max : 512
  ) -> [CellSum] {
    let sums = CellSums(cells)
    withExtendedLifetime(points) {
      for columns in cells.columnRanges where !columns.isEmpty && !cells.rows.isEmpty {
        GridAggregation(
          of: points, in: region, columns, excluding: excluded,
          countingLocations: countingLocations, into: sums, vectors
        ).descend(sharedFrom: sharedFrom)
      }
      sums.settleFirsts(in: points.pointers)
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
    view = points.pointers
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
      // They are told apart by what came before.
      view.traverse {
        let own = view.nodes[$0]
        let isOpened = look(at: $0, own)
        addLeaves()
        return isOpened ? .open : .skip
      }
    } else if view.count > 0 {
      let blocks = blocksToOpen()
      if blocks.count < sharedFrom {
        descend(into: blocks)
      } else {
        descendTogether(into: blocks)
      }
    }
  }

  /// Looks at nodes in blocks with all processors, some of which may have other things to do: whoever
  /// is done with a part takes another.
  private func descendTogether(into blocks: FixedArray<Siblings>) {
    let parts = 8 * ParallelWork.threads
    let found = Locked<[CellSum]>([])
    ParallelWork.run(parts) {
      [points, region, cells = sums.cells, columns, excluded, vectors] part in
      let sums = CellSums(cells)
      GridAggregation(
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

  /// Siblings that are to be looked at.
  private struct Siblings: BitwiseCopyable {
    /// What the first is known by.
    let first: Int
    let count: Int
  }

  /// So many blocks are descended into together: while one waits for memory there is something to do
  /// in the others, and what was read of one is still at hand a level later.
  private static var blocksAtOnce: Int { 16 }

  /// The children of blocks' roots that are to be looked at. Adds what is decided above.
  private func blocksToOpen() -> FixedArray<Siblings> {
    var above = GrowingArray<Siblings>(capacity: 256)
    var inBlocks = GrowingArray<Siblings>(capacity: 256)
    let root = Siblings(first: view.root, count: 1)
    if view.isAboveBlocks(root.first) { above.append(root) } else { inBlocks.append(root) }
    var next = 0
    while next < above.count {
      look(at: above.pointer[next]) { children in
        if view.isAboveBlocks(children.first) {
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

  /// Looks at nodes in blocks, level by level.
  private func descend(into blocks: FixedArray<Siblings>) {
    let step = GridAggregation.blocksAtOnce
    var queue = GrowingArray<Siblings>(capacity: 256)
    var start = 0
    while start < blocks.count {
      let end = min(start &+ step, blocks.count)
      let later = min(end &+ step, blocks.count)
      // Where nodes are is asked for first, then the nodes.
      for place in later..<min(later &+ step, blocks.count) {
        view.prefetchTable(of: blocks.pointer[place].first)
      }
      for place in end..<later { prefetch(blocks.pointer[place]) }
      queue.removeAll()
      for place in start..<end { queue.append(blocks.pointer[place]) }
      var next = 0
      while next < queue.count {
        look(at: queue.pointer[next]) { children in
          prefetch(children)
          queue.append(children)
        }
        next &+= 1
      }
      start = end
    }
    addAll()
  }

  /// Asks for the nodes of siblings, which lie on up to three cache lines.
  @inline(__always)
  private func prefetch(_ siblings: Siblings) {
    let nodes = view.pointer(to: siblings.first)
    chints_prefetch(nodes)
    chints_prefetch(nodes + siblings.count / 2)
    chints_prefetch(nodes + siblings.count - 1)
  }

  /// Decides about siblings, and calls `open` with the children of those to be opened.
  @inline(__always)
  private func look(at siblings: Siblings, _ open: (Siblings) -> Void) {
    let nodes = view.pointer(to: siblings.first)
    vectors?.functions.look(nodes, siblings.count, vectorWindow, vectorCells)
    for offset in 0..<siblings.count {
      let node = siblings.first &+ offset
      guard look(at: node, nodes[offset], offset) else { continue }
      let children = view.children(of: node, nodes[offset])
      open(Siblings(first: children.lowerBound, count: children.count))
    }
  }

  /// Decides about a node that is one of some siblings, at which vectors have looked if there are any.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node, _ sibling: Int) -> Bool {
    guard vectorCells.pointee.is_clear &>> sibling & 1 != 0 else { return look(at: node, own) }
    guard vectorCells.pointee.is_touched &>> sibling & 1 != 0 else { return false }
    return decide(node, own, GridWindow.Block(vectorCells, sibling))
  }

  /// Decides about a node; whether to look at its children, too.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node) -> Bool {
    guard window.touches(own.box), let block = window.block(of: own.box) else { return false }
    return decide(node, own, block)
  }

  @inline(__always)
  private func decide(_ node: Int, _ own: Quadtree.Node, _ block: GridWindow.Block) -> Bool {
    if block.isOneCell {
      switch region.coverage(of: node, in: view) {
      case .outside: return false
      case .inside where excluded.isEmpty || !excluded.intersects(view.points(of: node, own)):
        take(node, own, block.first)
        return false
      case .inside, .partial: break
      }
    }
    guard own.isLeaf else { return true }
    let points = view.points(of: node, own)
    prefetch(points)
    let leaf = Leaf(
      begin: points.lowerBound, end: points.upperBound, box: own.box, block: block)
    if leaves.append(leaf) { addLeaves() }
    return false
  }

  /// Takes all of a node for a cell.
  @inline(__always)
  private func take(_ node: Int, _ own: Quadtree.Node, _ cell: CellPosition) {
    let points = view.points(of: node, own)
    if countingLocations {
      let sum = sums.sum(of: cell)
      sum.pointee.begin(at: points.lowerBound, isExact: true)
      sum.pointee.add(node: node, points, in: view, countingLocations: true)
      return
    }
    let sum = view.sums[node]
    chints_prefetch(sum)
    let whole = Whole(
      sum: sum, box: own.box, first: points.lowerBound, cell: cell)
    if wholes.append(whole) { addWholes() }
  }

  /// Asks for the positions of a leaf.
  @inline(__always)
  private func prefetch(_ points: Range<Int>) {
    // Eight positions are a cache line. What a leaf beyond its capacity holds more, the hardware
    // foresees.
    let end = min(points.upperBound, points.lowerBound &+ Quadtree.leafCapacity)
    let positions = view.block(of: points.lowerBound).positions
    var place = points.lowerBound
    while place < end {
      chints_prefetch(positions + place)
      place &+= 8
    }
    // It need not begin where a line does.
    chints_prefetch(positions + end - 1)
  }

  // MARK: - Adding

  /// Adds what is still to be added.
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
      if !split(leaf) { scan(leaf.points, leaf.block) }
    }
    leaves.count = 0
  }

  /// Adds the points of a leaf across one line or two that cross.
  ///
  /// - Returns: false where it takes a look at each point.
  @inline(__always)
  private func split(_ leaf: Leaf) -> Bool {
    let (block, points) = (leaf.block, leaf.points)
    guard canSplit, block.isInWindow, !leaf.box.isPolar else { return false }
    let (first, last) = (block.first, block.last)
    let (columns, rows) = (last.column &- first.column, last.row &- first.row)
    guard columns <= 1, rows <= 1 else { return false }
    let lines = window.lines(in: block)
    let split = LeafSplit(
      view.block(of: points.lowerBound).positions + points.lowerBound, count: points.count,
      leaf.box, view.degrees, vectors)
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

  /// Adds what those of a leaf's points come to that are in a cell.
  @inline(__always)
  private func add(_ part: PointSum, of points: Range<Int>, _ cell: CellPosition) {
    guard part.count > 0 else { return }
    let sum = sums.sum(of: cell)
    sum.pointee.begin(at: points.lowerBound, isExact: false)
    sum.pointee.sum.add(part)
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
        let sum = sums.sum(of: current)
        sum.pointee.begin(at: start, isExact: true)
        sum.pointee.add(start..<stop, in: view, countingLocations: countingLocations)
      }
      (start, current) = (stop, next)
    }
  }
}
