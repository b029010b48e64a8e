/// A linear quadtree over points in Z-order, stored as a flat table of nodes. Each block has one
/// for its points, and another is on top of the blocks; see ``PointIndex``.
///
/// A node represents a quadtree cell, hence one contiguous range of points. The children of a node
/// are adjacent, so that examining them touches one or two cache lines. Chains of cells with a
/// single occupied child are omitted: an inner node has two to four children, and the size of the
/// table depends on the number of points, not on their depth. A million points at one coordinate
/// are a single leaf. The data that decides about a node (``Node``) is separate from the data that
/// is added when the whole node is taken (``NodeSum``).
struct Quadtree: Sendable {
  /// The maximum number of points in a leaf, unless all are at one position.
  static let leafCapacity = 64
  /// One level for the root and one for each pair of key bits.
  static let maximumDepth = 33

  /// The value of ``Node/table`` for children in the same table as the node.
  static let ownTable = UInt32.max

  /// The extent of a node. `box` is the exact bounding box of its points.
  struct Node: BitwiseCopyable {
    /// The first of its points: an offset in the block, or an ordinal in the tree on top.
    var begin: UInt32
    var end: UInt32
    /// The block whose table holds its children, or ``ownTable``.
    var table = ownTable
    /// Eight times the index of the first child plus the number of children; 0 for a leaf.
    private var childrenCode: UInt32 = 0
    var box: PositionBox

    init(begin: Int, end: Int, box: PositionBox) {
      self.begin = UInt32(begin)
      self.end = UInt32(end)
      self.box = box
    }

    @inline(__always)
    var range: Range<Int> { Int(begin)..<Int(end) }

    /// The indices of its children in the table. Empty for a leaf.
    @inline(__always)
    var children: Range<Int> {
      get { Int(childrenCode >> 3)..<Int(childrenCode >> 3 &+ childrenCode & 7) }
      set { childrenCode = UInt32(newValue.lowerBound) << 3 | UInt32(newValue.count) }
    }

    @inline(__always)
    var isLeaf: Bool { childrenCode == 0 }
  }

  /// The nodes, beginning with the root. Empty if there are no points.
  let nodes: FixedArray<Node>
  let sums: FixedArray<NodeSum>

  var count: Int { nodes.count }

  var byteCount: Int { nodes.byteCount + sums.byteCount }
}

/// The sums over a node's points, kept apart from the node's ``Quadtree/Node/box``.
struct NodeSum: BitwiseCopyable {
  /// The sum of their x, in steps.
  var longitudes: UInt64 = 0
  /// The sum of their latitudes in units of ``FixedDegrees``; see ``StepDegrees``.
  var latitudes: Int64 = 0
  /// The number of distinct locations.
  var locations: UInt32 = 0
  /// The number of points.
  var count: UInt32 = 0
  /// Pads the sum to half a cache line.
  private var padding: UInt64 = 0

  mutating func add(_ other: NodeSum) {
    count += other.count
    latitudes &+= other.latitudes
    longitudes &+= other.longitudes
    locations += other.locations
  }
}
