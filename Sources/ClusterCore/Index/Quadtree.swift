/// The linear quadtree over points in Z-order: a flat table of nodes, no pointers, no classes. There is
/// one for the points of each block, and one on top of the blocks (see ``PointIndex``).
///
/// Every node stands for one quadtree cell, hence one contiguous range of points; the children of a
/// node lie side by side, so that deciding about them touches one or two cache lines. Chains of
/// cells with a single occupied child are left out, so an inner node has two to four children and
/// the table grows with the points, not with their depth: a million points on one coordinate are a
/// single leaf. What is needed to decide about a node (``Node``) is kept apart from what is added
/// up when it is taken whole (``Aggregate``).
struct Quadtree: Sendable {
  /// The most points of a leaf, unless they are all at one position.
  static let leafCapacity = 64
  /// The root and a level for each pair of key bits.
  static let maximumDepth = 33

  /// The table that a node's children are in where that is the node's own.
  static let ownTable = UInt32.max

  /// Where a node is. `box` holds exactly its points, in positions.
  struct Node: BitwiseCopyable {
    /// Its points: counted from the beginning of its block, or places in the tree on top.
    var begin: UInt32
    var end: UInt32
    /// The block whose nodes its children are, or ``ownTable``.
    var table = ownTable
    /// Eight times its first child, plus the number of its children; 0 for a leaf.
    private var childrenCode: UInt32 = 0
    var box: PositionBox

    init(begin: Int, end: Int, box: PositionBox) {
      self.begin = UInt32(begin)
      self.end = UInt32(end)
      self.box = box
    }

    @inline(__always)
    var range: Range<Int> { Int(begin)..<Int(end) }

    /// Their places in the table; empty for a leaf.
    @inline(__always)
    var children: Range<Int> {
      get { Int(childrenCode >> 3)..<Int(childrenCode >> 3 &+ childrenCode & 7) }
      set { childrenCode = UInt32(newValue.lowerBound) << 3 | UInt32(newValue.count) }
    }

    @inline(__always)
    var isLeaf: Bool { childrenCode == 0 }
  }

  /// What a node's points add up to, beside its ``Node/box``.
  struct Aggregate: BitwiseCopyable {
    /// The sum of their x, in steps.
    var longitudes: UInt64 = 0
    /// The sum of their latitudes in units of ``FixedDegrees``; see ``StepDegrees``.
    var latitudes: Int64 = 0
    /// How many locations they are at.
    var locations: UInt32 = 0
    /// How many there are.
    var count: UInt32 = 0
    /// Two of them are a cache line.
    private var padding: UInt64 = 0
  }

  /// The root first; none at all without points.
  let nodes: FixedArray<Node>
  let aggregates: FixedArray<Aggregate>

  var count: Int { nodes.count }

  var byteCount: Int { nodes.byteCount + aggregates.byteCount }
}

/// A closed rectangle of positions.
struct PositionBox: BitwiseCopyable, Equatable {
  var minX: UInt32
  var minY: UInt32
  var maxX: UInt32
  var maxY: UInt32

  /// The box of nothing: the neutral element of ``formUnion(_:)``.
  static let empty = PositionBox(minX: .max, minY: .max, maxX: 0, maxY: 0)

  init(minX: UInt32, minY: UInt32, maxX: UInt32, maxY: UInt32) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

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

  /// Whether it reaches the world's northern or southern edge, where latitudes beyond the projection's
  /// are: positions don't tell those.
  @inline(__always)
  var isPolar: Bool { minY == 0 || maxY == .max }

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

  /// As above, of degrees in units.
  @inline(__always)
  static func fixed(fromUnits units: Double) -> Int64 {
    Int64(bitPattern: (units + magic).bitPattern &- magic.bitPattern)
  }

  static let magic: Double = 0x1.8p52

  /// The mean of `count` values with the given sum.
  static func mean(sum: Int64, count: Int) -> Double {
    Double(sum) / (perDegree * Double(count))
  }
}
