import Threading

/// The cells of a view with no needs but ``Needs/plainCells``, each of which is one annotation: a cluster of all of
/// its features, or the pin of its only one. They are lent, so that answering a view takes no memory for each
/// of them.
public struct PlainCells {
  /// A cell that holds features.
  public struct Cell {
    /// The cell.
    public let position: CellPosition
    /// The location of its only feature; nil if there are others.
    public let location: Location?
    /// The number of its features.
    public let count: Int
    /// Whether all of them are at one location.
    public let isUniqueLocation: Bool
    /// The ordinal in the collection of the feature of a pin; not looked up for a cluster.
    public let first: Int
  }

  /// Up to eight cells.
  public struct Batch {
    /// A row of eight for each of latitude and longitude of the annotations and the west, south, east and north
    /// of their bounds, in degrees; a column for each cell.
    public let figures: UnsafeMutablePointer<Double>
    /// The number of cells.
    public let count: Int
    @usableFromInline let cells: UnsafePointer<Cell>

    /// A cell.
    @inlinable @inline(__always)
    public subscript(_ index: Int) -> Cell { cells[index] }
  }

  private let sums: CellSums
  private let scope: FeatureScope
  /// The part of the scope that is clustered.
  private let part: AnyRegion
  private let pointers: IndexPointers

  fileprivate init(_ sums: CellSums, of scope: FeatureScope, in part: AnyRegion) {
    (self.sums, self.scope, self.part) = (sums, scope, part)
    pointers = scope.points.pointers
  }

  /// The number of cells.
  public var count: Int { sums.count }

  /// Calls `body` with the cells by row and column; stops when there is no more time.
  ///
  /// - Complexity: O(cells).
  public func forEachBatch(_ body: (Batch) -> Void) {
    sums.prefetchPins(pointers)
    // Values without references, as a batch that refers to this would count some ten of them each time.
    withUnsafeTemporaryAllocation(of: Cell.self, capacity: CellFigures.most) { memory in
      guard let cells = memory.baseAddress else { return }
      sums.forEachBatch { slots, count, figures in
        guard !Cancellation.poll(200 &* count) else { return }
        for index in 0..<count {
          let sum = sums[slots[index]]
          (cells + index).initialize(to: cell(sum))
          if sum.pointee.count == 1 || sum.pointee.sum.box.isPolar {
            figures.set(exactFigures(of: sum), index)
          }
        }
        body(Batch(figures: figures.rows, count: count, cells: cells))
      }
    }
  }

  /// The figures of a pin, or of a cell at an edge of the world.
  @inline(__always)
  private func exactFigures(of sum: UnsafePointer<CellSum>) -> CellFigures.Cell {
    if sum.pointee.count == 1 {
      let coordinate = pointers.coordinate(sum.pointee.first)
      return CellFigures.Cell(coordinate: coordinate, bounds: GeoBounds(only: coordinate))
    }
    let region = CellRegion(grid: sums.cells.grid, cell: sum.pointee.cell)
    let annotation = Annotation(
      sum.pointee, of: scope.points, in: IntersectionRegion(a: region, b: part),
      excluding: OrdinalSet([]), as: .cell(sum.pointee.cell))
    return CellFigures.Cell(coordinate: annotation.coordinate, bounds: annotation.bounds)
  }

  @inline(__always)
  private func cell(_ sum: UnsafePointer<CellSum>) -> Cell {
    // The features of clusters are scattered over memory.
    let isPin = sum.pointee.count == 1
    return Cell(
      position: sum.pointee.cell,
      location: isPin ? pointers.position(sum.pointee.first).location : nil,
      count: sum.pointee.count, isUniqueLocation: sum.pointee.sum.box.isOneLocation,
      first: isPin ? scope.collectionOrdinal(sum.pointee.first) : 0)
  }
}

extension FeatureScope {
  /// Clusters a plain view as ``clusters(_:in:)`` does, and lends the cells in place of the result's annotations.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the limit.
  public func withPlainCells(
    _ request: ClusterRequest, _ body: (ClusterResult, PlainCells) throws(ImpossibleRequest) -> Void
  ) throws(ImpossibleRequest) {
    precondition(
      request.settings.needs.isSubset(of: .zoom) && !request.isClusteringOff
        && request.grouping == nil && request.weights == nil, "the view isn't plain")
    if let region {
      return try FeatureScope(collection).withPlainCells(request, in: region, body)
    }
    try withPlainCells(request, in: EverywhereRegion(), body)
  }

  private func withPlainCells(
    _ request: ClusterRequest, in region: some IndexRegion,
    _ body: (ClusterResult, PlainCells) throws(ImpossibleRequest) -> Void
  ) throws(ImpossibleRequest) {
    let (part, none) = (AnyRegion(region), OrdinalSet([]))
    var result = ClusterResult()
    result.layers = [
      ClusterLayer(
        self, in: part, grid: request.cells.grid, cellSize: request.cellSize, request.settings,
        group: nil, keptApart: none)
    ]
    try GridSummation.withSums(
      of: points, in: region, by: request.cells, excluding: none, countingLocations: false,
      limit: ClusterRequest.maximumLimit
    ) { (sums) throws(ImpossibleRequest) in
      guard sums.count <= request.limit else { throw request.tooMany(sums.count) }
      result.featureCount = sums.inNoOrder.reduce(0) { $0 + $1.count }
      try body(result, PlainCells(sums, of: self, in: part))
    }
  }
}

extension GeoBounds {
  /// The bounds of one coordinate.
  init(only coordinate: Coordinate) {
    self.init(
      west: coordinate.longitude, south: coordinate.latitude, east: coordinate.longitude,
      north: coordinate.latitude)
  }
}
