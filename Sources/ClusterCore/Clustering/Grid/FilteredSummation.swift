import CVectors
import Threading

/// Adds up the features of a ``FilterRegion`` by the cells of a grid range.
///
/// Nodes that lie in the shapes and pass as a whole are left to a ``GridSummation``. So shapes cost the nodes at
/// their borders, and a filter that tells whole blocks apart costs the blocks in between. Of other blocks a bit
/// for each feature tells whether it passes, and those in one cell are added up by the bits.
final class FilteredSummation {
  private typealias Siblings = GridScratch.Siblings

  private let points: PointIndex
  private let pointers: IndexPointers
  private let region: FilterRegion
  private let columns: Range<Int>
  private let window: GridWindow
  private let scratch: GridScratch
  private let sums: CellSums
  private let limit: Int
  private let vectors: Vectors?
  /// The nodes of which all features count.
  private var wholes: GrowingArray<Siblings>
  /// The top nodes of blocks of which some count.
  private var mixed: GrowingArray<Int>
  private let mask: BlockMask
  private var stack: GrowingArray<Int>

  init(
    of points: PointIndex, in region: FilterRegion, _ columns: Range<Int>, limit: Int,
    _ scratch: GridScratch, _ vectors: Vectors?
  ) {
    (self.points, self.region, self.columns, self.limit) = (points, region, columns, limit)
    (self.scratch, self.vectors) = (scratch, vectors)
    pointers = points.pointers
    sums = scratch.sums
    window = GridWindow(sums.cells, columns)
    mask = BlockMask(region)
    (wholes, mixed, stack) = (scratch.wholeNodes, scratch.mixedNodes, scratch.nodes)
    wholes.removeAll()
    mixed.removeAll()
    stack.removeAll()
  }

  deinit { (scratch.wholeNodes, scratch.mixedNodes, scratch.nodes) = (wholes, mixed, stack) }

  /// - Parameter sharedFrom: the number of blocks from which on all processors share the work.
  func run(sharedFrom: Int) {
    // Cancelled work may have left a filter of values that weren't read.
    guard pointers.count > 0, !Cancellation.isOver else { return }
    walk()
    if mixed.count < sharedFrom {
      addMixed(mixed.fixed, 0..<mixed.count)
    } else {
      addMixedTogether()
    }
    addWholes(sharedFrom: sharedFrom)
  }

  private var isFull: Bool { sums.count > limit }

  // MARK: - Blocks of which some features pass

  private func addMixedTogether() {
    // Nothing is appended to it before all parts have ended.
    let blocks = mixed.fixed
    scratch.share(blocks.count, limit: limit) {
      [points, region, columns, limit, vectors] scratch, range in
      let summation = FilteredSummation(
        of: points, in: region, columns, limit: limit, scratch, vectors)
      summation.addMixed(blocks, range)
      summation.addWholes(sharedFrom: .max)
    }
  }

  /// Adds the features of some blocks that pass, given their top nodes. The memory of the next blocks is
  /// prefetched meanwhile.
  private func addMixed(_ tops: FixedArray<Int>, _ range: Range<Int>) {
    for number in range where !isFull && !Cancellation.isOver {
      if number + 2 < range.upperBound {
        let later = tops.pointer[number + 2]
        if let block = pointers.block(holding: later, pointers.node(later)) {
          mask.prefetch(block, pointers)
        }
      }
      addMixed(tops.pointer[number])
    }
  }

  /// Adds the features of a block that pass, given its top node.
  private func addMixed(_ top: Int) {
    let own = pointers.node(top)
    guard let block = pointers.block(holding: top, own), !Cancellation.poll(1500) else { return }
    mask.load(block, pointers)
    switch mask.passing {
    case .outside: return
    case .inside: wholes.append(Siblings(first: top, count: 1))
    case .partial: addMasked(top)
    }
  }

  /// Adds the nodes that count as a whole.
  private func addWholes(sharedFrom: Int) {
    GridSummation(
      of: points, in: EverywhereRegion(), columns, excluding: OrdinalSet([]),
      countingLocations: false, limit: limit, scratch, vectors
    ).descend(from: wholes, sharedFrom: sharedFrom)
    wholes.removeAll()
  }

  /// Adds the features of a node whose bits are set in the mask of its block.
  private func addMasked(_ top: Int) {
    let base = stack.count
    stack.append(top)
    while stack.count > base {
      let node = stack.pointer[stack.count - 1]
      stack.removeLast(1)
      let own = pointers.node(node)
      guard window.touches(own.box), let span = window.span(of: own.box) else { continue }
      let points = pointers.points(of: node, own)
      if span.isOneCell, !own.box.isPolar {
        let found = mask.sum(of: points, own.box, pointers)
        guard found.sum.count > 0 else { continue }
        let sum = sums.sum(of: span.first)
        sum.pointee.begin(at: found.first)
        sum.pointee.sum.add(found.sum)
      } else if own.isLeaf {
        scan(points, span, isMasked: true, nil)
      } else {
        for child in pointers.children(of: node, own) { stack.append(child) }
      }
    }
  }

  // MARK: - The walk

  /// Divides the nodes into those of which all features count, those of which none does, and blocks. Features at
  /// borders of shapes are added.
  private func walk() {
    let shapes = region.shapes.isEmpty ? nil : ShapesWalk(region.shapes)
    var open = GrowingArray<(node: Int, frame: ShapesWalk.Frame?)>(capacity: 256)
    open.append((pointers.root, shapes?.world))
    while open.count > 0, !isFull {
      let (node, known) = open.pointer[open.count - 1]
      open.removeLast(1)
      let own = pointers.node(node)
      guard window.touches(own.box), let span = window.span(of: own.box) else { continue }
      if Cancellation.poll(30) { return }
      var frame = known
      if let shapes, let known {
        switch shapes.look(at: own.box, in: known) {
        case .outside: continue
        case .inside: frame = nil
        case .partial(let narrower): frame = narrower
        }
      }
      let passing = passing(node, own)
      if passing == .outside { continue }
      if frame == nil, passing == .inside {
        wholes.append(Siblings(first: node, count: 1))
      } else if frame == nil, pointers.isAboveBlocks(node),
        pointers.block(holding: node, own) != nil
      {
        mixed.append(node)
      } else if frame == nil, !pointers.isAboveBlocks(node) {
        addMasked(node)
      } else if own.isLeaf {
        scan(
          pointers.points(of: node, own), span, isMasked: passing == .partial,
          frame.flatMap { frame in shapes.map { ($0, frame) } })
      } else {
        for child in pointers.children(of: node, own) { open.append((child, frame)) }
      }
    }
  }

  /// How many features of a node pass the filter. The mask of its block is loaded if it may be needed.
  private func passing(_ node: Int, _ own: Quadtree.Node) -> Coverage {
    guard let filter = region.filter else { return .inside }
    guard let block = pointers.block(holding: node, own) else { return .partial }
    if mask.block == block { return mask.passing }
    let coverage = filter.coverage(ofBlock: block)
    if coverage == .partial, !pointers.isAboveBlocks(node) || own.isLeaf {
      mask.load(block, pointers)
      return mask.passing
    }
    return coverage
  }

  /// Adds those points of a leaf that count, one by one.
  private func scan(
    _ points: Range<Int>, _ span: GridWindow.CellSpan, isMasked: Bool,
    _ border: (shapes: ShapesWalk, frame: ShapesWalk.Frame)?
  ) {
    let lines = window.lines(in: span)
    let features = pointers.block(of: points.lowerBound)
    Cancellation.poll(points.count * 8)
    for ordinal in points {
      if isMasked, !mask.contains(ordinal) { continue }
      let position = features.positions[ordinal]
      if let border,
        !border.shapes.contains(ordinal, at: position, in: border.frame, pointers)
      {
        continue
      }
      guard let cell = window.cell(of: ordinal, among: span, lines, in: features, pointers) else {
        continue
      }
      let sum = sums.sum(of: cell)
      sum.pointee.begin(at: ordinal)
      sum.pointee.sum.add(
        position,
        latitude: pointers.degrees.latitude(
          position.y, exactly: pointers.coordinate(ordinal)))
    }
  }
}
