/// The columns of the world with features, and the outermost features of those beside empty ones.
struct ColumnGaps {
  private static let bits: UInt32 = 12
  private static let count = 1 << Int(bits)

  private var isFull = [Bool](repeating: false, count: count)
  /// Whether a column with features is beside one without, or at the world's edge.
  private var isEdge = [Bool](repeating: false, count: count)
  private var (west, east) = (
    [UInt32](repeating: .max, count: count), [UInt32](repeating: 0, count: count)
  )

  private static func column(_ x: UInt32) -> Int { Int(x >> (32 - bits)) }

  /// Notes that there are features at both ends of some part. Returns false if the features between
  /// must be looked at.
  mutating func mark(_ west: UInt32, _ east: UInt32) -> Bool {
    let (first, last) = (ColumnGaps.column(west), ColumnGaps.column(east))
    (isFull[first], isFull[last]) = (true, true)
    return last - first < 2 || isFull[(first + 1)..<last].allSatisfy(\.self)
  }

  mutating func findEdges() {
    let last = ColumnGaps.count - 1
    for column in 0...last where isFull[column] {
      isEdge[column] =
        column == 0 || column == last || !isFull[column - 1] || !isFull[column + 1]
    }
  }

  /// Notes that there are features at both ends of some part. Returns false if the features between
  /// must be looked at.
  mutating func narrow(_ west: UInt32, _ east: UInt32) -> Bool {
    let (first, last) = (ColumnGaps.column(west), ColumnGaps.column(east))
    self.west[first] = min(self.west[first], west)
    self.east[last] = max(self.east[last], east)
    guard first < last else {
      return true
    }
    // Of the outer columns only the inner edges are not known, and between them nothing is.
    return !isEdge[first...last].contains(true)
  }

  /// See ``PointIndex/widestGap(in:)``.
  var widest: UInt32 {
    var cut: UInt32 = 0
    var before: Int?
    var most = 0
    for column in 0..<ColumnGaps.count where isFull[column] {
      if let before, column - before > 1 {
        let width = Int(west[column]) - Int(east[before])
        if width > most { (most, cut) = (width, west[column]) }
      }
      before = column
    }
    guard let first = isFull.firstIndex(of: true), let last = before else { return 0 }
    let across = Int(west[first]) + HullPoint.world - Int(east[last])
    return most > across ? cut : 0
  }
}

extension PointIndex {
  /// Returns where the widest part of the world without a region's features ends in the east, as an x in
  /// steps: the cut from which on they lie on the shortest way around; of several the westernmost. 0 if
  /// that is the part across the antimeridian, or if none is wider than a tenth of a degree or so.
  ///
  /// The world is divided into columns. Those with features are found first, without looking into nodes that
  /// add none. Then the features next to empty columns are found in the same way.
  func widestGap(in region: some IndexRegion) -> UInt32 {
    var gaps = ColumnGaps()
    /// Gives `note` the least and greatest x of nodes, and of the features of nodes for which it returns false.
    func visit(_ note: (inout ColumnGaps, UInt32, UInt32) -> Bool) {
      walk(
        region,
        take: { node, pointers in
          let box = pointers.nodes[node].box
          return note(&gaps, box.minX, box.maxX) ? .taken : .open
        },
        point: { ordinal, pointers in
          let x = pointers.positions[ordinal].x
          return note(&gaps, x, x)
        })
    }
    visit { $0.mark($1, $2) }
    gaps.findEdges()
    visit { $0.narrow($1, $2) }
    return gaps.widest
  }
}
