import Threading

/// Makes the annotations of one layer from the sums of a grid's cells.
struct GridClusterer<Region: IndexRegion> {
  /// The features to cluster.
  let scope: FeatureScope
  /// The part of the scope to cluster: all of it, or the features of one annotation.
  let region: Region
  let request: ClusterRequest
  /// The index of the layer in the result.
  let layer: Int
  /// The ordinals in the scope of the features that are kept apart.
  let keptApart: OrdinalSet
  /// The layout of declustered pins.
  var pinLayout: PinLayout
  /// The annotations of the answer so far, to which those of the layer are appended.
  private(set) var annotations: [Annotation]
  private let pointers: IndexPointers

  init(
    scope: FeatureScope, region: Region, request: ClusterRequest, layer: Int,
    keptApart: OrdinalSet, pinLayout: PinLayout, annotations: [Annotation]
  ) {
    (self.scope, self.region, self.request, self.layer) = (scope, region, request, layer)
    (self.keptApart, self.pinLayout) = (keptApart, pinLayout)
    self.annotations = annotations
    pointers = scope.points.pointers
  }

  private var points: PointIndex { scope.points }
  private var cells: GridRange { request.cells }
  private var settings: ClusterSettings { request.settings }

  /// Appends the annotations, by row and column, then in index order, and returns the number of their
  /// features. Stops when there are more annotations than any answer holds.
  mutating func run() throws(ImpossibleRequest) -> Int {
    let kept = keptApartByCell()
    return try GridSummation.withSums(
      of: points, in: region, by: cells, excluding: keptApart,
      countingLocations: settings.minUniqueLocationsForClustering > 1,
      limit: ClusterRequest.maximumLimit
    ) { (sums) throws(ImpossibleRequest) in
      // Their cells are needed, even those that hold no other feature.
      for cell in kept.keys { _ = sums.sum(of: cell) }
      // There is at least one annotation in each cell.
      guard annotations.count + sums.count <= ClusterRequest.maximumLimit else {
        throw request.tooMany(annotations.count + sums.count)
      }
      sums.prefetchPins(pointers)
      if annotations.isEmpty { annotations.reserveCapacity(sums.count) }
      var features = 0
      try sums.forEachWithFigures { (sum, figures) throws(ImpossibleRequest) in
        if Cancellation.poll(200) { throw .cancelled }
        let ordinals = kept.isEmpty ? [] : kept[sum.cell] ?? []
        try annotate(sum, figures, keptApart: ordinals)
        features += sum.count + ordinals.count
      }
      return features
    }
  }

  private func keptApartByCell() -> [CellPosition: [Int]] {
    withExtendedLifetime(points) {
      let pointers = points.pointers
      var byCell: [CellPosition: [Int]] = [:]
      for ordinal in keptApart.ordinals where region.contains(ordinal, in: pointers) {
        let cell = cells.grid.cell(of: ordinal, in: pointers)
        if cells.contains(cell) { byCell[cell, default: []].append(ordinal) }
      }
      return byCell
    }
  }

  private mutating func annotate(
    _ sum: CellSum, _ figures: CellFigures.Cell, keptApart ordinals: [Int]
  ) throws(ImpossibleRequest) {
    let start = annotations.count
    let clustered = request.isClustered(sum)
    if clustered {
      append(
        points.annotation(
          ofCell: sum, figures, grid: cells.grid, in: cellRegion(sum.cell), excluding: keptApart,
          at: settings.position), sum.cell)
    } else if sum.count > 0 {
      try annotateApart(sum)
    }
    for ordinal in ordinals { append(pin(ordinal, spread: !clustered), sum.cell) }
    if !ordinals.isEmpty { annotations[start...].sort { $0.first < $1.first } }
    // Annotations are counted beyond the request's limit so that the error can name a sufficient one.
    if annotations.count > ClusterRequest.maximumLimit {
      throw request.tooMany(annotations.count)
    }
  }

  private mutating func annotateApart(_ sum: CellSum) throws(ImpossibleRequest) {
    if settings.decluster {
      guard annotations.count + sum.count <= ClusterRequest.maximumLimit else {
        throw request.tooMany(annotations.count + sum.count)
      }
      for ordinal in ordinals(of: sum.cell) { append(pin(ordinal, spread: true), sum.cell) }
    } else if sum.count == 1 {
      // The common case of a single feature: there are no others to look for. The pointers are valid because
      // the scope lives; without them, references to the index would be counted for each pin.
      let location = pointers.position(sum.first).location
      let coordinate = pointers.coordinate(sum.first)
      append(
        Annotation(pin: sum.first, at: coordinate, as: .location(sum.cell, location)), sum.cell)
    } else {
      // At most one more than an answer can hold.
      let sums = points.locationSums(
        in: cellRegion(sum.cell), cell: sum.cell, excluding: keptApart,
        limit: ClusterRequest.maximumLimit - annotations.count + 1)
      for part in sums {
        let location = points.position(at: part.first).location
        let own = CellRegion(grid: cells.grid, cell: sum.cell, location: location)
        append(
          Annotation(
            part, of: points, in: IntersectionRegion(a: own, b: region), excluding: keptApart,
            as: .location(sum.cell, location)), sum.cell)
      }
    }
  }

  /// Appends an annotation of a cell of the layer.
  @inline(__always)
  private mutating func append(_ annotation: Annotation, _ cell: CellPosition) {
    var annotation = annotation
    (annotation.cell, annotation.layer) = (cell, layer)
    annotation.first = scope.collectionOrdinal(annotation.first)
    annotations.append(annotation)
  }

  private mutating func pin(_ ordinal: Int, spread: Bool) -> Annotation {
    var pin = Annotation(pin: ordinal, of: points)
    if spread && settings.decluster {
      pin.spread(by: &pinLayout, of: scope.collectionOrdinal(ordinal))
    }
    return pin
  }

  private func cellRegion(_ cell: CellPosition) -> IntersectionRegion<CellRegion, Region> {
    IntersectionRegion(a: CellRegion(grid: cells.grid, cell: cell), b: region)
  }

  private func ordinals(of cell: CellPosition) -> [Int] {
    var ordinals: [Int] = []
    points.forEachOrdinal(in: cellRegion(cell)) { ordinal in
      if !keptApart.contains(ordinal) { ordinals.append(ordinal) }
      return true
    }
    return ordinals
  }
}
