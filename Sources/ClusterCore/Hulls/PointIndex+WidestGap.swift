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
