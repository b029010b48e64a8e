/// Finds the convex hull of points that are given one after the other.
///
/// Most points lie in the hull of those before, which takes O(log h) to see for a hull of h corners. The
/// others are collected and taken in together, when they are as many as its corners.
///
/// - Complexity: O(n log n) for n points, of which memory is needed for O(h).
struct HullBuilder {
  /// The hull as far as it is known: its corners by x, those of least y and those of greatest y. Each x
  /// occurs once in either. Both begin at the same x and end at the same.
  private var (low, high): ([HullPoint], [HullPoint]) = ([], [])
  private var pending: [HullPoint] = []
  private var mostPending = HullBuilder.fewest

  private static let fewest = 256

  /// Adds a point.
  @inline(__always)
  mutating func add(_ point: HullPoint) {
    guard !holds(point) else { return }
    pending.append(point)
    if pending.count >= mostPending { settle() }
  }

  /// Takes in all points that were added.
  mutating func settle() {
    guard !pending.isEmpty else { return }
    var points = pending + low + high
    pending.removeAll(keepingCapacity: true)
    points.sort(by: HullPoint.precedes)
    (low, high) = (HullBuilder.chain(points, side: 1), HullBuilder.chain(points, side: -1))
    mostPending = max(HullBuilder.fewest, low.count + high.count)
  }

  /// The corners so far, in the order of ``Hull/corners``.
  var corners: [HullPoint] {
    var corners = [low.first].compactMap(\.self)
    for point in high + low.reversed() where point != corners.last { corners.append(point) }
    // The way back ends where it began.
    if corners.count > 1, corners.last == corners.first { corners.removeLast() }
    return corners
  }

  /// The chain of corners on one side: of least y where `side` is 1, of greatest y where it is −1.
  private static func chain(_ points: [HullPoint], side: Double) -> [HullPoint] {
    var chain: [HullPoint] = []
    for point in points {
      if let last = chain.last, last.x == point.x {
        // They come by y.
        if side > 0 { continue }
        chain.removeLast()
      }
      while chain.count > 1,
        HullPoint.side(chain[chain.count - 2], chain[chain.count - 1], point) * side <= 0
      {
        chain.removeLast()
      }
      chain.append(point)
    }
    return chain
  }

  /// Whether a point is in the hull so far or on its edge.
  @inline(__always)
  func holds(_ point: HullPoint) -> Bool {
    guard let first = low.first, let last = low.last, first.x <= point.x, point.x <= last.x else {
      return false
    }
    return HullBuilder.side(of: point, low) >= 0 && HullBuilder.side(of: point, high) <= 0
  }

  /// Whether all of a box is in the hull so far or on its edge.
  func holds(_ box: HullBox) -> Bool {
    guard let first = low.first, let last = low.last, first.x <= box.minX, box.maxX <= last.x else {
      return false
    }
    return HullBuilder.side(of: HullPoint(x: box.minX, y: box.minY), low) >= 0
      && HullBuilder.side(of: HullPoint(x: box.maxX, y: box.minY), low) >= 0
      && HullBuilder.side(of: HullPoint(x: box.minX, y: box.maxY), high) <= 0
      && HullBuilder.side(of: HullPoint(x: box.maxX, y: box.maxY), high) <= 0
  }

  /// On which side of a chain a point is whose x is not outside of it: positive for greater y.
  @inline(__always)
  private static func side(of point: HullPoint, _ chain: [HullPoint]) -> Double {
    chain.withUnsafeBufferPointer { chain in
      var (start, end) = (0, chain.count - 1)
      guard start < end else { return Double(point.y - chain[0].y) }
      // The segment that begins at `start` is the one with the point's x.
      while end - start > 1 {
        let middle = (start + end) / 2
        if chain[middle].x <= point.x { start = middle } else { end = middle }
      }
      return HullPoint.side(chain[start], chain[start + 1], point)
    }
  }
}
