/// Checks that the rings of polygons don't cross themselves or each other, and that holes are where holes can
/// be. Rings may touch at points.
struct ShapeCheck {
  private let edges: ShapeEdges
  private let rings: [Range<Int>]

  /// The most pairs of edges, and of edges and corners, that are compared. Outlines of real areas need much less.
  private var mostPairs: Int { 64 * edges.all.count + 4096 }
  private static let tooIntricate = ShapeError(
    "the outline of the polygon is too intricate; a simplified one would do")

  init(_ edges: ShapeEdges, _ rings: [Range<Int>]) { (self.edges, self.rings) = (edges, rings) }

  func check() throws(ShapeError) {
    try checkCrossings()
    var looks = 0
    for (number, ring) in rings.enumerated() {
      try checkNesting(of: Int32(number), ring, &looks)
    }
  }

  // MARK: Crossings

  /// Compares edges that overlap on the axis on which they are shorter on the whole.
  private func checkCrossings() throws(ShapeError) {
    let all = edges.all.filter { $0.polygon >= 0 }
    let bounds = edges.bounds
    let width = all.reduce(0) { $0 + ($1.east - $1.west) } * (bounds.north - bounds.south)
    let height = all.reduce(0) { $0 + ($1.north - $1.south) } * (bounds.east - bounds.west)
    let isByLongitude = width < height
    let spans = all.map { edge in
      isByLongitude
        ? (low: edge.west, high: edge.east, edge: edge)
        : (low: edge.south, high: edge.north, edge: edge)
    }.sorted { $0.low < $1.low }
    var pairs = 0
    for (index, span) in spans.enumerated() {
      var other = index + 1
      while other < spans.count, spans[other].low <= span.high {
        pairs += 1
        if span.edge.polygon == spans[other].edge.polygon {
          try ShapeCheck.check(span.edge, spans[other].edge)
        }
        other += 1
      }
      guard pairs <= mostPairs else { throw ShapeCheck.tooIntricate }
    }
  }

  /// Throws if two edges of a polygon cross or have more than a point in common.
  private static func check(_ a: ShapeEdge, _ b: ShapeEdge) throws(ShapeError) {
    guard a.west <= b.east, b.west <= a.east, a.south <= b.north, b.south <= a.north else { return }
    let sides = (
      Orientation.sign(a.ax, a.ay, a.bx, a.by, b.ax, b.ay),
      Orientation.sign(a.ax, a.ay, a.bx, a.by, b.bx, b.by),
      Orientation.sign(b.ax, b.ay, b.bx, b.by, a.ax, a.ay),
      Orientation.sign(b.ax, b.ay, b.bx, b.by, a.bx, a.by)
    )
    if sides.0 == 0 && sides.1 == 0 {
      // On one line: they may have an end in common.
      let width = min(a.east, b.east) - max(a.west, b.west)
      let height = min(a.north, b.north) - max(a.south, b.south)
      guard width > 0 || height > 0 else { return }
      throw ShapeError("edges of a polygon lie on each other near \(b.ax) \(b.ay)")
    }
    if (sides.0 > 0) != (sides.1 > 0), (sides.2 > 0) != (sides.3 > 0), sides.0 != 0, sides.1 != 0,
      sides.2 != 0, sides.3 != 0
    {
      throw ShapeError(
        "a polygon crosses itself: its edges from \(a.ax) \(a.ay) and from \(b.ax) \(b.ay)")
    }
  }

  // MARK: Holes

  /// Throws if a hole isn't in the polygon, or is in another hole. Otherwise each hole is in the outer ring
  /// alone, and the outer ring in nothing.
  private func checkNesting(
    of number: Int32, _ ring: Range<Int>, _ looks: inout Int
  ) throws(ShapeError) {
    let polygon = edges.all[ring.lowerBound].polygon
    let isHole = number > 0 && edges.all[rings[Int(number) - 1].lowerBound].polygon == polygon
    let hasHoles =
      isHole
      || (Int(number) + 1 < rings.count
        && edges.all[rings[Int(number) + 1].lowerBound].polygon == polygon)
    guard hasHoles else { return }
    for edge in edges.all[ring] {
      var (isOdd, isOn, seen) = (false, false, 0)
      edges.forEach(near: edge.ay) { other in
        seen += 1
        guard other.polygon == polygon, other.ring != number else { return true }
        switch other.meeting(edge.ax, edge.ay) {
        case .none: return true
        case .crossed:
          isOdd.toggle()
          return true
        case .on:
          isOn = true
          return false
        }
      }
      looks += seen
      guard looks <= mostPairs else { throw ShapeCheck.tooIntricate }
      // A corner on another ring doesn't tell.
      if isOn { continue }
      guard isOdd == isHole else {
        throw ShapeError(
          "a hole of a polygon is outside of its outer ring or in another hole, near \(edge.ax) "
            + "\(edge.ay)")
      }
    }
  }
}
