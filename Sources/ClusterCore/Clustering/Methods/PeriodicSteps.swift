/// Distances along the axes between positions, in their steps, of which the world has 2^32: x is
/// periodic. A position stands for any map point in the closed square of a step, so a distance is
/// known up to a lower and an upper bound.
///
/// The bounds also hold for distances as they are computed from map points: subtraction rounds
/// monotonically, and the bounds are exact.
enum PeriodicSteps {
  static let world = 1 << 32

  /// The steps between two positions on the circle of x, apart from what lies within their steps.
  @inline(__always)
  static func x(_ a: UInt32, _ b: UInt32) -> Int {
    Int(Int32(bitPattern: a &- b).magnitude)
  }

  @inline(__always)
  static func y(_ a: UInt32, _ b: UInt32) -> Int { abs(Int(a) &- Int(b)) }

  /// The distance of two map points along x.
  @inline(__always)
  static func exactX(_ a: MapPoint, _ b: MapPoint) -> Double {
    let direct = abs(a.x - b.x)
    return min(direct, WebMercator.worldSize - direct)
  }
}

extension PositionBox {
  /// At least this far are points of two boxes apart in x.
  @inline(__always)
  func leastX(to other: PositionBox) -> Int {
    let east = Int(other.minX) &- Int(maxX) &- 1
    let west = Int(minX) &- Int(other.maxX) &- 1
    let direct = max(east, west)
    if direct <= 0 { return 0 }
    // The way round: from the outer edge of the one on to that of the other.
    let extent = Int(max(maxX, other.maxX)) &+ 1 &- Int(min(minX, other.minX))
    return min(direct, PeriodicSteps.world &- extent)
  }

  @inline(__always)
  func leastY(to other: PositionBox) -> Int {
    max(0, Int(other.minY) &- Int(maxY) &- 1, Int(minY) &- Int(other.maxY) &- 1)
  }

  /// At most this far are points of two boxes, or of one, apart in x.
  @inline(__always)
  func mostX(to other: PositionBox) -> Int {
    let half = PeriodicSteps.world / 2
    let far = max(Int(other.maxX) &- Int(minX), Int(maxX) &- Int(other.minX)) &+ 1
    if far <= half { return far }
    let near = max(Int(other.minX) &- Int(maxX), Int(minX) &- Int(other.maxX)) &- 1
    return near >= half ? PeriodicSteps.world &- near : half
  }

  @inline(__always)
  func mostY(to other: PositionBox) -> Int {
    max(Int(other.maxY) &- Int(minY), Int(maxY) &- Int(other.minY)) &+ 1
  }

  /// The longer side, in steps.
  @inline(__always)
  var side: UInt32 { max(maxX &- minX, maxY &- minY) }
}

extension OrdinalSet {
  /// How many of the places lie before one.
  func count(before place: Int) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// How many of the places are in a range.
  func count(in range: Range<Int>) -> Int {
    if places.isEmpty { return 0 }
    return count(before: range.upperBound) - count(before: range.lowerBound)
  }

  /// The first place of a range that isn't in the set.
  func firstOther(in range: Range<Int>) -> Int? {
    if places.isEmpty { return range.first }
    var index = count(before: range.lowerBound)
    var place = range.lowerBound
    while index < places.count && places[index] == place {
      (index, place) = (index + 1, place + 1)
    }
    return range.contains(place) ? place : nil
  }
}

/// A relation of two features that is told by how far apart they are on each axis, and holds for all
/// that are closer.
protocol Nearness {
  /// Whether it holds for features that are this many steps apart.
  func holds(_ x: Int, _ y: Int) -> Bool
}

extension Nearness {
  /// Whether it holds for no two features of two nodes' boxes.
  @inline(__always)
  func separates(_ a: PositionBox, _ b: PositionBox) -> Bool {
    !holds(a.leastX(to: b), a.leastY(to: b))
  }

  /// Whether it holds for any two features of two nodes' boxes.
  @inline(__always)
  func joins(_ a: PositionBox, _ b: PositionBox) -> Bool {
    holds(a.mostX(to: b), a.mostY(to: b))
  }
}
