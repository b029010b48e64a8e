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

extension Quadtree.Aggregate {
  mutating func add(_ other: Quadtree.Aggregate) {
    count += other.count
    latitudes &+= other.latitudes
    longitudes &+= other.longitudes
    locations += other.locations
  }
}
