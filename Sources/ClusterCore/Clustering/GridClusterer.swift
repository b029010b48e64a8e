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
  private(set) var annotations: [Annotation] = []

  private var points: PointIndex { scope.points }
  private var cells: GridRange { request.cells }
  private var settings: ClusterSettings { request.settings }

  /// Returns the annotations, by row and column, then in index order, and the number of their features.
  mutating func run() throws(ImpossibleRequest) -> (annotations: [Annotation], features: Int) {
    var sums = GridSummation.sums(
      of: points, in: region, by: cells, excluding: keptApart,
      countingLocations: settings.minUniqueLocationsForClustering > 1)
    let kept = keptApartByCell()
    if !kept.isEmpty {
      let known = Set(sums.lazy.map(\.cell))
      let onlyKept = kept.filter { !known.contains($0.key) }
      sums += onlyKept.map { CellSum(cell: $0.key, first: $0.value[0]) }
      sums.sort { $0.cell < $1.cell }
    }
    annotations.reserveCapacity(min(sums.count, request.limit))
    var features = 0
    for sum in sums {
      if Interruption.poll(200) { throw .interrupted }
      let ordinals = kept[sum.cell] ?? []
      try annotate(sum, keptApart: ordinals)
      features += sum.count + ordinals.count
    }
    for index in annotations.indices {
      annotations[index].layer = layer
      annotations[index].first = scope.collectionOrdinal(annotations[index].first)
    }
    return (annotations, features)
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
    _ sum: CellSum, keptApart ordinals: [Int]
  ) throws(ImpossibleRequest) {
    let start = annotations.count
    let clustered = request.isClustered(sum)
    if clustered {
      let annotation = points.annotation(
        ofCell: sum, grid: cells.grid, in: cellRegion(sum.cell), excluding: keptApart,
        at: settings.position)
      annotations.append(annotation)
    } else if sum.count > 0 {
      try annotateApart(sum)
    }
    for ordinal in ordinals { annotations.append(pin(ordinal, spread: !clustered)) }
    if !ordinals.isEmpty { annotations[start...].sort { $0.first < $1.first } }
    for index in annotations[start...].indices { annotations[index].cell = sum.cell }
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
      for ordinal in ordinals(of: sum.cell) { annotations.append(pin(ordinal, spread: true)) }
    } else if sum.count == 1 {
      // The common case of a single feature: there are no others to look for.
      let location = points.position(at: sum.first).location
      annotations.append(
        Annotation(pin: sum.first, of: points, as: .location(sum.cell, location)))
    } else {
      // At most one more than an answer can hold.
      let sums = points.locationSums(
        in: cellRegion(sum.cell), cell: sum.cell, excluding: keptApart,
        limit: ClusterRequest.maximumLimit - annotations.count + 1)
      for part in sums {
        let location = points.position(at: part.first).location
        let own = LocationRegion(
          cell: CellRegion(grid: cells.grid, cell: sum.cell), location: location)
        annotations.append(
          Annotation(
            part, of: points, in: IntersectionRegion(a: own, b: region), excluding: keptApart,
            as: .location(sum.cell, location)))
      }
    }
  }

  private mutating func pin(_ ordinal: Int, spread: Bool) -> Annotation {
    var pin = Annotation(pin: ordinal, of: points)
    if spread && settings.decluster {
      let (coordinate, contested) = pinLayout.pin(at: scope.collectionOrdinal(ordinal))
      pin.spread = Annotation.Spread(originalCoordinate: pin.coordinate, contested: contested)
      pin.coordinate = coordinate
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
