/// The linear quadtree over points in Z-order: a flat table of nodes in depth-first order, no
/// pointers, no classes.
///
/// Every node stands for one quadtree cell, hence one contiguous range of points. Chains of cells
/// with a single occupied child are left out, so an inner node has two to four children and the
/// table grows with the points, not with their depth: a million points on one coordinate are a
/// single leaf. What is needed to decide about a node (``Node``) is kept apart from what is added
/// up when it is taken whole (``Aggregate``).
struct Quadtree: Sendable {
  /// The most points of a leaf, unless they are all at one position.
  static let leafCapacity = 32

  /// Where a node is. `box` holds exactly its points, in positions.
  struct Node: BitwiseCopyable {
    /// Its first point.
    var begin: UInt32
    /// The node that follows its subtree; that one's `begin` is this one's end. A leaf's is the
    /// next node.
    var skip: UInt32
    var box: PositionBox
  }

  /// What a node's points add up to.
  struct Aggregate: BitwiseCopyable {
    /// Exact sums in units of 2^−28 degrees; see ``FixedDegrees``.
    var latitudes: Int64 = 0
    var longitudes: Int64 = 0
    var bounds = GeoBounds.empty
    /// How many locations its points are at.
    var locations: UInt32 = 0
  }

  /// One more than the nodes: the last is a sentinel that ends the ranges.
  let nodes: FixedArray<Node>
  let aggregates: FixedArray<Aggregate>

  /// The number of nodes without the sentinel.
  var count: Int { aggregates.count }

  var byteCount: Int { nodes.byteCount + aggregates.byteCount }
}

/// A closed rectangle of positions.
struct PositionBox: BitwiseCopyable {
  var minX: UInt32
  var minY: UInt32
  var maxX: UInt32
  var maxY: UInt32

  init(_ position: Position) {
    (minX, maxX) = (position.x, position.x)
    (minY, maxY) = (position.y, position.y)
  }

  @inline(__always)
  mutating func formUnion(_ other: PositionBox) {
    minX = min(minX, other.minX)
    minY = min(minY, other.minY)
    maxX = max(maxX, other.maxX)
    maxY = max(maxY, other.maxY)
  }

  /// Whether all of it is one location.
  @inline(__always)
  var isOneLocation: Bool { minX >> 9 == maxX >> 9 && minY >> 9 == maxY >> 9 }
}

/// Degrees as integers, so that sums don't depend on the order of their terms: units of 2^−28
/// degrees (under 4e-9°). A hundred million features at longitude 180 still fit 64 bits.
enum FixedDegrees {
  static let perDegree: Double = 268_435_456

  @inline(__always)
  static func fixed(_ degrees: Double) -> Int64 {
    // Adding 1.5·2^52 leaves the nearest integer in the low bits of the sum: valid for magnitudes
    // below 2^51, of which 180·2^28 is far, and without a call to rint().
    Int64(bitPattern: (degrees * perDegree + magic).bitPattern &- magic.bitPattern)
  }

  private static let magic: Double = 0x1.8p52

  /// The mean of `count` values with the given sum.
  static func mean(sum: Int64, count: Int) -> Double {
    Double(sum) / (perDegree * Double(count))
  }
}
