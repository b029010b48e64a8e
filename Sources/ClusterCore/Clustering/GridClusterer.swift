/// Turns the sums of a grid's cells into the annotations of one layer.
struct GridClusterer<Region: IndexRegion> {
  /// What there is to cluster.
  let scope: FeatureScope
  /// The part of it: all features, or those of one annotation.
  let region: Region
  let request: ClusterRequest
  /// The place of the layer in the answer.
  let layer: Int
  /// Places in the scope of the features that are kept apart.
  let keptApart: OrdinalSet
  private var spreading: PinLayout
  private var annotations: [Annotation] = []

  private var points: PointIndex { scope.points }
  private var cells: GridRange { request.cells }
  private var settings: ClusterSettings { request.settings }

  /// `spreading` tells where declustered pins go.
  init(
    scope: FeatureScope, region: Region, request: ClusterRequest, layer: Int,
    keptApart: OrdinalSet, spreading: PinLayout
  ) {
    self.scope = scope
    self.region = region
    self.request = request
    self.layer = layer
    self.keptApart = keptApart
    self.spreading = spreading
  }

  /// The annotations by row and column, then in index order, and the number of their features.
  mutating func run() throws(ImpossibleRequest) -> (annotations: [Annotation], features: Int) {
    var sums = GridAggregation.sums(
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
      let places = kept[sum.cell] ?? []
      try annotate(sum, keptApart: places)
      features += sum.count + places.count
    }
    for place in annotations.indices {
      annotations[place].layer = layer
      annotations[place].first = scope.collectionOrdinal(annotations[place].first)
    }
    return (annotations, features)
  }

  /// Which features each annotation has.
  var features: GridFeatures<Region> {
    GridFeatures(scope: scope, region: region, grid: cells.grid, keptApart: keptApart)
  }

  private func keptApartByCell() -> [CellPosition: [Int]] {
    withExtendedLifetime(points) {
      let view = points.pointers
      var byCell: [CellPosition: [Int]] = [:]
      for place in keptApart.ordinals where region.contains(place, in: view) {
        let cell = cells.grid.cell(of: place, in: view)
        if cells.contains(cell) { byCell[cell, default: []].append(place) }
      }
      return byCell
    }
  }

  private mutating func annotate(
    _ sum: CellSum, keptApart places: [Int]
  ) throws(ImpossibleRequest) {
    let start = annotations.count
    let clustered = request.isClustered(sum)
    if clustered {
      let annotation = points.annotation(
        ofCell: sum, grid: cells.grid, in: cellRegion(sum.cell), excluding: keptApart,
        at: settings.position,
        nearest: { nearestToCenter(of: sum.cell) })
      annotations.append(annotation)
    } else if sum.count > 0 {
      try annotateApart(sum)
    }
    for place in places { annotations.append(pin(place, spread: !clustered)) }
    if !places.isEmpty { annotations[start...].sort { $0.first < $1.first } }
    for place in annotations[start...].indices { annotations[place].cell = sum.cell }
    // Counted on a little past the limit, so that the error can say what limit would do.
    if annotations.count > ClusterRequest.maximumLimit {
      throw request.tooMany(annotations.count)
    }
  }

  private mutating func annotateApart(_ sum: CellSum) throws(ImpossibleRequest) {
    if settings.decluster {
      guard annotations.count + sum.count <= ClusterRequest.maximumLimit else {
        throw request.tooMany(annotations.count + sum.count)
      }
      for place in places(of: sum.cell) { annotations.append(pin(place, spread: true)) }
    } else if sum.count == 1 {
      // The usual lone feature of a cell: no need to look for others.
      let location = points.position(at: sum.first).location
      annotations.append(
        Annotation(pin: sum.first, of: points, as: .location(sum.cell, location)))
    } else {
      for location in locations(of: sum.cell) {
        annotations.append(
          Annotation(
            location, of: points, in: region(of: location), excluding: keptApart,
            as: .location(sum.cell, points.position(at: location.first).location)))
      }
    }
  }

  private mutating func pin(_ place: Int, spread: Bool) -> Annotation {
    var pin = Annotation(pin: place, of: points)
    if spread && settings.decluster {
      let (coordinate, contested) = spreading.pin(at: scope.collectionOrdinal(place))
      pin.spread = Annotation.Spread(originalCoordinate: pin.coordinate, contested: contested)
      pin.coordinate = coordinate
    }
    return pin
  }

  private func cellRegion(_ cell: CellPosition) -> IntersectionRegion<CellRegion, Region> {
    IntersectionRegion(a: CellRegion(grid: cells.grid, cell: cell), b: region)
  }

  /// That of a location's features.
  private func region(of sum: CellSum) -> IntersectionRegion<LocationRegion, Region> {
    IntersectionRegion(
      a: LocationRegion(
        cell: CellRegion(grid: cells.grid, cell: sum.cell),
        location: points.position(at: sum.first).location),
      b: region)
  }

  private func places(of cell: CellPosition) -> [Int] {
    var places: [Int] = []
    points.forEachOrdinal(in: cellRegion(cell)) { place in
      if !keptApart.contains(place) { places.append(place) }
      return true
    }
    return places
  }

  /// The sums of a cell's locations in index order, at most one more than can be answered.
  private func locations(of cell: CellPosition) -> [CellSum] {
    points.locationSums(
      in: cellRegion(cell), cell: cell, excluding: keptApart,
      limit: ClusterRequest.maximumLimit - annotations.count + 1)
  }

  private func nearestToCenter(of cell: CellPosition) -> Int? {
    points.nearest(
      to: cells.grid.center(of: cell), in: cellRegion(cell), excluding: keptApart)
  }
}
