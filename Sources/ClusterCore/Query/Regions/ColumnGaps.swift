/// The columns of the world with features, and the outermost features of those beside empty ones.
struct ColumnGaps {
  /// A column is 2^shift steps wide.
  private let shift: UInt32
  private var isFull: [Bool]
  /// Whether a column with features is beside one without, or at the world's edge.
  private var isEdge: [Bool]
  private var (west, east): ([UInt32], [UInt32])

  init(shift: UInt32) {
    self.shift = shift
    let count = 1 << (32 - Int(shift))
    isFull = Array(repeating: false, count: count)
    isEdge = isFull
    (west, east) = (Array(repeating: .max, count: count), Array(repeating: 0, count: count))
  }

  private func column(_ x: UInt32) -> Int { Int(x &>> shift) }

  /// Notes that there are features at both ends of some part. Returns false if the features between
  /// must be looked at.
  mutating func mark(_ west: UInt32, _ east: UInt32) -> Bool {
    let (first, last) = (column(west), column(east))
    (isFull[first], isFull[last]) = (true, true)
    return last - first < 2 || isFull[(first + 1)..<last].allSatisfy(\.self)
  }

  mutating func findEdges() {
    let last = isFull.count - 1
    for column in 0...last where isFull[column] {
      isEdge[column] =
        column == 0 || column == last || !isFull[column - 1] || !isFull[column + 1]
    }
  }

  /// Notes that there are features at both ends of some part. Returns false if the features between
  /// must be looked at.
  mutating func narrow(_ west: UInt32, _ east: UInt32) -> Bool {
    let (first, last) = (column(west), column(east))
    self.west[first] = min(self.west[first], west)
    self.east[last] = max(self.east[last], east)
    guard first < last else {
      return true
    }
    // Of the outer columns only the inner edges are not known, and between them nothing is.
    return !isEdge[first...last].contains(true)
  }

  /// See ``PointIndex/widestGap(in:columns:slack:)``.
  func widest(slack: Int) -> (west: UInt32, east: UInt32)? {
    let full = isFull.indices.filter { isFull[$0] }
    guard let first = full.first, let last = full.last else { return nil }
    var most = Int(west[first]) + 1 << 32 - Int(east[last]) + slack
    var widest: (west: UInt32, east: UInt32)?
    for (before, after) in zip(full, full.dropFirst()) where after - before > 1 {
      let width = Int(west[after]) - Int(east[before])
      if width > most { (most, widest) = (width, (east[before], west[after])) }
    }
    return widest
  }
}

extension PointIndex {
  /// Returns the widest gap between the longitudes of a region's features, in steps, if it is wider than the one
  /// across the antimeridian; of several the westernmost. The features lie on the shortest way around if that begins
  /// in the east of it. Nil if none is, or none is as wide as a column.
  ///
  /// The world is divided into columns. Those with features are found first, without looking into nodes that
  /// add none. Then the features next to empty columns are found in the same way.
  ///
  /// - Parameters:
  ///   - shift: the width of a column, as a power of two of steps; 4,096 are around the world unless it is given.
  ///   - slack: by how many steps the gap must be wider.
  func widestGap(
    in region: some IndexRegion, columns shift: UInt32 = 20, slack: Int = 0
  ) -> (west: UInt32, east: UInt32)? {
    var gaps = ColumnGaps(shift: shift)
    /// Gives `note` the least and greatest x of nodes, and of the features of nodes for which it returns false.
    func visit(_ note: (inout ColumnGaps, UInt32, UInt32) -> Bool) {
      walk(
        region,
        take: { node, pointers in
          let box = pointers.node(node).box
          return note(&gaps, box.minX, box.maxX) ? .taken : .open
        },
        point: { ordinal, pointers in
          let x = pointers.position(ordinal).x
          return note(&gaps, x, x)
        })
    }
    visit { $0.mark($1, $2) }
    gaps.findEdges()
    visit { $0.narrow($1, $2) }
    return gaps.widest(slack: slack)
  }
}
