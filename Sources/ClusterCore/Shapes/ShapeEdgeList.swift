/// Collects the edges of a shape's parts, and checks that each makes sense by itself.
struct ShapeEdgeList {
  private(set) var edges: [ShapeEdge] = []
  /// The edges of each ring of a polygon.
  private(set) var rings: [Range<Int>] = []
  private var polygonCount: Int32 = 0
  private var lineCount: Int32 = 0

  /// The number of rings.
  var ringCount: Int32 { Int32(rings.count) }

  mutating func add(_ part: ShapePart, to boxes: inout [GeoBounds]) throws(ShapeError) {
    switch part {
    case .point(let point):
      try check(point)
      addLine([point, point])
    case .line(let points):
      for point in points { try check(point) }
      guard points.count > 1 else { throw ShapeError("a line has fewer than two points") }
      addLine(points)
    case .polygon(let rings):
      guard !rings.isEmpty else { throw ShapeError("a polygon has no ring") }
      for ring in rings { try add(ring: ring) }
      polygonCount += 1
    case .disc(let disc):
      try check(disc.centre.origin)
      guard disc.metres >= 0 else { throw ShapeError("a distance is less than 0") }
    case .envelope(let box):
      try check(Coordinate(latitude: box.south, longitude: box.west))
      try check(Coordinate(latitude: box.north, longitude: box.east))
      guard box.south <= box.north else {
        throw ShapeError("the south of an envelope is above its north")
      }
      guard box.west > box.east else { return boxes.append(box) }
      var (eastern, western) = (box, box)
      (eastern.east, western.west) = (180, -180)
      boxes += [eastern, western]
    }
  }

  private func check(_ point: Coordinate) throws(ShapeError) {
    guard point.longitude.magnitude <= 180, point.latitude.magnitude <= 90 else {
      throw ShapeError(
        "the point \(point.longitude) \(point.latitude) is beyond ±180 and ±90 degrees; longitude "
          + "comes first", isBeyondWorld: true)
    }
  }

  /// Lines have negative numbers, which rings have not.
  private mutating func addLine(_ points: [Coordinate]) {
    lineCount -= 1
    for (a, b) in zip(points, points.dropFirst()) {
      edges.append(ShapeEdge(a, b, polygon: -1, ring: lineCount))
    }
  }

  private mutating func add(ring points: [Coordinate]) throws(ShapeError) {
    for point in points { try check(point) }
    guard points.count > 3, points.first == points.last else {
      throw ShapeError(
        "a ring of a polygon has at least four points, and the last is the same as the first")
    }
    let start = edges.count
    // Points that are repeated are no edges.
    for (a, b) in zip(points, points.dropFirst()) where a != b {
      edges.append(ShapeEdge(a, b, polygon: polygonCount, ring: ringCount))
    }
    guard edges.count - start > 2 else {
      throw ShapeError("a ring of a polygon has fewer than three different points")
    }
    rings.append(start..<edges.count)
  }
}
