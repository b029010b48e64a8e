import Threading

extension GridSummation {
  /// Lends the sums of the cells that hold any of the region's features other than the excluded ones. If there
  /// are more cells than `limit`, some of them may be missing, and others incomplete.
  ///
  ///     GridSummation.withSums(
  ///       of: points, in: EverywhereRegion(), by: viewport.cells, excluding: OrdinalSet([]),
  ///       countingLocations: false
  ///     ) { sums in … }
  ///
  /// The result depends neither on the vectorized loops nor on `sharedFrom`, the number of blocks from
  /// which on processors share the work.
  static func withSums<R, E>(
    of points: PointIndex, in region: Region, by cells: GridRange, excluding excluded: OrdinalSet,
    countingLocations: Bool, limit: Int = .max, vectors: Vectors? = .best,
    sharedFrom: Int = Processors.count == 1 ? .max : 512, _ body: (CellSums) throws(E) -> R
  ) throws(E) -> R {
    try GridScratch.with(cells) { (scratch) throws(E) in
      withExtendedLifetime(points) {
        for columns in [cells.columnsPastAntimeridian, cells.columnsToAntimeridian]
        where !columns.isEmpty && !cells.rows.isEmpty {
          if let region = region as? FilterRegion, excluded.isEmpty, !countingLocations {
            FilteredSummation(of: points, in: region, columns, limit: limit, scratch, vectors)
              .run(sharedFrom: sharedFrom)
            continue
          }
          GridSummation(
            of: points, in: region, columns, excluding: excluded,
            countingLocations: countingLocations, limit: limit, scratch, vectors
          ).descend(sharedFrom: sharedFrom)
        }
      }
      return try body(scratch.sums)
    }
  }

  /// The sums that ``withSums(of:in:by:excluding:countingLocations:limit:vectors:sharedFrom:_:)`` lends,
  /// ordered by row and column.
  static func sums(
    of points: PointIndex, in region: Region, by cells: GridRange, excluding excluded: OrdinalSet,
    countingLocations: Bool, vectors: Vectors? = .best,
    sharedFrom: Int = Processors.count == 1 ? .max : 512
  ) -> [CellSum] {
    withSums(
      of: points, in: region, by: cells, excluding: excluded, countingLocations: countingLocations,
      vectors: vectors, sharedFrom: sharedFrom
    ) { sums in
      var all: [CellSum] = []
      all.reserveCapacity(sums.count)
      sums.forEachInOrder { all.append($0) }
      return all
    }
  }
}
