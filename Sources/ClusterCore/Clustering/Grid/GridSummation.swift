import CHints
import CVectors
import Threading

/// Adds up a region's features by the cells of a grid range in one descent of the tree: a node within
/// one cell is added whole, a node across a grid line is opened, and a leaf across one is scanned.
///
///     let sums = GridSummation.sums(
///       of: index.points, in: EverywhereRegion(), by: viewport.cells, excluding: OrdinalSet([]), countingLocations: false)
///     for sum in sums { print(sum.cell, sum.count) }
///
/// Where only the positions of features matter, ``Vectors`` do that for whole blocks, apart from features and nodes so
/// close to a grid line that their coordinates decide.
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
  private let scratch: GridScratch
  private let vectors: Vectors?
  /// The part of the index that ``Vectors`` can descend; nil if none.
  private let descent: cvectors_descent?
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
    sums = scratch.sums
    self.vectors = vectors
    let isPlain =
      Region.self == EverywhereRegion.self && excluded.isEmpty && !countingLocations
    descent =
      isPlain && vectors != nil ? pointers.descent(in: window, columns, of: sums) : nil
  }

  /// Whether there are more cells than needed.
  private var isFull: Bool { sums.count > limit }

  /// - Parameter starts: the nodes whose features are added up, one after the other; nil for the root.
  func descend(from starts: GrowingArray<GridScratch.Siblings>? = nil, sharedFrom: Int) {
    if countingLocations {
      // Locations are counted by comparison with the feature before, so the order matters.
      pointers.traverse {
        if isFull { return .stop }
        return look(at: $0, pointers.node($0)) ? .open : .skip
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

  /// Visits the nodes of blocks with all processors.
  private func descendTogether() {
    // Nothing is appended to it before all parts have ended.
    let blocks = scratch.inBlocks.fixed
    scratch.share(blocks.count, limit: limit) {
      [points, region, columns, excluded, limit, vectors] scratch, range in
      GridSummation(
        of: points, in: region, columns, excluding: excluded, countingLocations: false,
        limit: limit, scratch, vectors
      ).descend(into: blocks.pointer, range)
    }
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
      let visited = addCertain(&queue)
      var next = 0
      while next < queue.count, !isFull {
        look(at: queue.pointer[next]) { children in
          prefetch(children)
          queue.append(children)
        }
        next &+= 1
      }
      start = end
      if Cancellation.poll((visited &+ queue.count) &* 100) { break }
    }
    scratch.queue = queue
  }

  /// Adds all nodes from those in a queue on but for those of which vectors can't tell the cells, and leaves these in the
  /// queue. Returns the number of groups of siblings that were visited.
  private func addCertain(_ queue: inout GrowingArray<GridScratch.Siblings>) -> Int {
    guard var descent, let vectors else { return 0 }
    var room = queue.count
    for number in 0..<queue.count {
      room &+= pointers.nodeCount(beside: queue.pointer[number].first)
    }
    queue.makeRoom(for: room)
    scratch.uncertain.removeAll()
    scratch.uncertain.makeRoom(for: room)
    var visited = queue.count
    let uncertain = sums.withTable(forMore: pointers.count) { table in
      vectors.functions.descend(
        &descent, queue.forVectors, &visited, scratch.uncertain.pointer, table)
    }
    queue.removeAll()
    for number in 0..<uncertain {
      let node = Int(truncatingIfNeeded: scratch.uncertain.pointer[number])
      queue.append(GridScratch.Siblings(first: node, count: 1))
    }
    return visited
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
    for offset in 0..<siblings.count {
      let node = siblings.first &+ offset
      guard look(at: node, nodes[offset]) else { continue }
      let children = pointers.children(of: node, nodes[offset])
      open(GridScratch.Siblings(first: children.lowerBound, count: children.count))
    }
  }

  /// Adds a node if it can be; returns whether to open it.
  @inline(__always)
  private func look(at node: Int, _ own: Quadtree.Node) -> Bool {
    guard window.touches(own.box), let span = window.span(of: own.box) else { return false }
    if span.isOneCell {
      switch region.coverage(of: node, in: pointers) {
      case .outside: return false
      case .inside where excluded.isEmpty || !excluded.intersects(pointers.points(of: node, own)):
        let points = pointers.points(of: node, own)
        let sum = sums.sum(of: span.first)
        sum.pointee.begin(at: points.lowerBound)
        sum.pointee.add(node: node, points, in: pointers, countingLocations: countingLocations)
        return false
      case .inside, .partial: break
      }
    }
    guard own.isLeaf else { return true }
    scan(pointers.points(of: node, own), span)
    return false
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
