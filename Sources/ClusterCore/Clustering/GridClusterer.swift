/// What a viewport request found.
public struct ClusterResult: Sendable {
  /// The annotations, by row and column, then in index order.
  public var annotations: [Annotation]
  /// The number of features in the grid.
  public var featureCount: Int
  /// The features of each cell that has any, by row and column.
  public var cellCounts: [(cell: CellPosition, count: Int)]
  /// Calls a function with the places of an annotation's features in index order, until it returns
  /// false.
  public let forEachFeature: @Sendable (Annotation, (Int) -> Bool) -> Void
}

/// Turns the sums of a grid's cells into annotations.
struct GridClusterer<Region: IndexRegion> {
  let points: PointIndex
  /// What there is to cluster: all features, or those of one annotation.
  let region: Region
  let cells: GridRange
  let zoomLevel: Double
  let cellSize: Double
  let settings: ClusterSettings
  /// The most annotations.
  let limit: Int

  /// The places of the features that are kept apart.
  let keptApart: PlaceSet
  private var annotations: [Annotation] = []
  private var spreading: Spreading

  /// The most annotations that any request may ask for.
  static var maximumLimit: Int { 10_000 }

  /// `excluded` are features that the region leaves out and that contest no coordinate.
  init(
    points: PointIndex, region: Region, cells: GridRange, zoomLevel: Double, cellSize: Double,
    settings: ClusterSettings, keptApart: PlaceSet, limit: Int,
    excluding excluded: PlaceSet = PlaceSet([])
  ) {
    self.points = points
    self.region = region
    self.cells = cells
    self.zoomLevel = zoomLevel
    self.cellSize = cellSize
    self.settings = settings
    self.keptApart = keptApart
    self.limit = limit
    spreading = Spreading(
      points: points, distance: settings.distanceFromContestedLocation, excluding: excluded)
  }

  mutating func run() throws(ImpossibleRequest) -> ClusterResult {
    var sums = GridAggregation.sums(
      of: points, in: region, by: cells, excluding: keptApart,
      countingLocations: settings.minUniqueLocationsForClustering > 1)
    let kept = keptApartByCell()
    let known = Set(sums.lazy.map(\.cell))
    let onlyKept = kept.filter { !known.contains($0.key) }
    if !onlyKept.isEmpty {
      sums += onlyKept.map { CellSum(cell: $0.key, first: $0.value[0]) }
      sums.sort { ($0.cell.row, $0.cell.column) < ($1.cell.row, $1.cell.column) }
    }
    let (source, grid, region, apart) = (points, cells.grid, self.region, keptApart)
    var result = ClusterResult(annotations: [], featureCount: 0, cellCounts: []) {
      source.forEachPlace(of: $0, grid: grid, in: region, excluding: apart, $1)
    }
    annotations.reserveCapacity(min(sums.count, limit))
    for sum in sums {
      let places = kept[sum.cell] ?? []
      try annotate(sum, keptApart: places)
      result.featureCount += sum.count + places.count
      result.cellCounts.append((sum.cell, sum.count + places.count))
    }
    guard annotations.count <= limit else { throw tooMany(annotations.count) }
    result.annotations = annotations
    return result
  }

  private func keptApartByCell() -> [CellPosition: [Int]] {
    withExtendedLifetime(points) {
      let view = points.view
      var byCell: [CellPosition: [Int]] = [:]
      for place in keptApart.places where region.contains(place, in: view) {
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
    let clustered = isClustered(sum)
    if clustered {
      let annotation = points.annotation(
        ofCell: sum, grid: cells.grid, at: settings.position,
        nearest: { nearestToCenter(of: sum.cell) })
      annotations.append(annotation)
    } else if sum.count > 0 {
      try annotateApart(sum)
    }
    for place in places { annotations.append(pin(place, spread: !clustered)) }
    if !places.isEmpty { annotations[start...].sort { $0.first < $1.first } }
    // Counted on a little past the limit, so that the error can say what limit would do.
    if annotations.count > GridClusterer.maximumLimit { throw tooMany(annotations.count) }
  }

  private func isClustered(_ sum: CellSum) -> Bool {
    if let zoom = settings.maxZoomLevelForClustering, zoomLevel > zoom { return false }
    // A lone feature is a pin; with decluster every pin is one of its own.
    return sum.count > (settings.decluster ? 1 : 0) && sum.count >= settings.minPoints
      && (settings.minUniqueLocationsForClustering <= 1
        || sum.locations >= settings.minUniqueLocationsForClustering)
  }

  private mutating func annotateApart(_ sum: CellSum) throws(ImpossibleRequest) {
    if settings.decluster {
      guard annotations.count + sum.count <= GridClusterer.maximumLimit else {
        throw tooMany(annotations.count + sum.count)
      }
      for place in places(of: sum.cell) { annotations.append(pin(place, spread: true)) }
    } else if sum.count == 1 {
      // The usual lone feature of a cell: no need to look for others.
      annotations.append(
        Annotation(
          sum, of: points, as: .location(sum.cell, points.positions.pointer[sum.first].location)))
    } else {
      for location in locations(of: sum.cell) {
        annotations.append(
          Annotation(
            location, of: points,
            as: .location(sum.cell, points.positions.pointer[location.first].location)))
      }
    }
  }

  private mutating func pin(_ place: Int, spread: Bool) -> Annotation {
    var pin = Annotation(pin: place, of: points)
    if spread && settings.decluster {
      let (coordinate, contested) = spreading.pin(at: place)
      pin.spread = Annotation.Spread(originalCoordinate: pin.coordinate, contested: contested)
      pin.coordinate = coordinate
    }
    return pin
  }

  private func cellRegion(_ cell: CellPosition) -> IntersectionRegion<CellRegion, Region> {
    IntersectionRegion(a: CellRegion(grid: cells.grid, cell: cell), b: region)
  }

  private func places(of cell: CellPosition) -> [Int] {
    var places: [Int] = []
    points.forEachPlace(in: cellRegion(cell)) { place in
      if !keptApart.contains(place) { places.append(place) }
      return true
    }
    return places
  }

  /// The sums of a cell's locations in index order, at most one more than can be answered.
  private func locations(of cell: CellPosition) -> [CellSum] {
    points.locationSums(
      in: cellRegion(cell), cell: cell, excluding: keptApart,
      limit: GridClusterer.maximumLimit - annotations.count + 1)
  }

  private func nearestToCenter(of cell: CellPosition) -> Int? {
    points.nearest(
      to: cells.grid.center(of: cell), in: cellRegion(cell), excluding: keptApart)
  }

  private func tooMany(_ count: Int) -> ImpossibleRequest {
    let found =
      count > GridClusterer.maximumLimit
      ? "the view holds more than \(GridClusterer.maximumLimit) annotations"
      : "the view holds \(count) annotations, more than the limit of \(limit)"
    let remedy =
      count <= GridClusterer.maximumLimit ? "a limit of \(count)" : remedyForMoreThanAnyLimit
    return ImpossibleRequest(field: "limit", detail: "\(found); \(remedy) would do")
  }

  /// What makes every cell one annotation, and the cells few enough.
  private var remedyForMoreThanAnyLimit: String {
    var parts: [String] = []
    let room = max(limit - settings.keepApart.count, 1)
    if cells.count > Double(room) {
      parts.append(cells.remedy(limit: room, cellSize: cellSize))
    }
    if isClusteringOff {
      parts.append("a maxZoomLevelForClustering of \(ImpossibleRequest.plain(zoomLevel))")
    }
    if settings.minPoints > 2 { parts.append("a minPoints of 2") }
    if settings.minUniqueLocationsForClustering > 1 {
      parts.append("a minUniqueLocationsForClustering of 1")
    }
    return parts.isEmpty ? "a smaller rect" : parts.joined(separator: " with ")
  }

  private var isClusteringOff: Bool {
    settings.maxZoomLevelForClustering.map { zoomLevel > $0 } ?? false
  }
}

extension PointIndex {
  /// The annotation of a whole cell, placed where its clusterer says.
  func annotation(
    ofCell sum: CellSum, grid: CellGrid, at position: ClusterPosition, nearest: () -> Int?
  ) -> Annotation {
    var annotation = Annotation(sum, of: self, as: .cell(sum.cell))
    guard annotation.isCluster else { return annotation }
    switch position {
    case .centerOfMass: annotation.coordinate = sum.mean
    case .cellCenter: annotation.coordinate = grid.centerCoordinate(of: sum.cell)
    case .first: break
    case .nearCenter:
      if let place = nearest() { annotation.coordinate = coordinate(at: place) }
    }
    return annotation
  }

  /// The sums of a region's features by location, in index order, at most `limit` of them.
  fileprivate func locationSums(
    in region: some IndexRegion, cell: CellPosition, excluding excluded: PlaceSet, limit: Int
  ) -> [CellSum] {
    var sums: [CellSum] = []
    var current: Location?
    func open(_ place: Int, _ view: IndexView) -> Bool {
      let location = view.positions[place].location
      if location != current {
        guard sums.count < limit else { return false }
        sums.append(CellSum(cell: cell, first: place))
        current = location
      }
      return true
    }
    walk(
      region,
      take: { node, view in
        let points = view.points(of: node)
        guard view.nodes[node].box.isOneLocation, !excluded.intersects(points) else {
          return .open
        }
        guard open(points.lowerBound, view) else { return .stop }
        sums[sums.count - 1].add(node: node, points, in: view, countingLocations: false)
        return .taken
      },
      point: { place, view in
        if excluded.contains(place) { return true }
        guard open(place, view) else { return false }
        sums[sums.count - 1].add(place, in: view, countingLocations: false)
        return true
      })
    return sums
  }
}

extension CellGrid {
  /// The centre of a cell in map points.
  func center(of cell: CellPosition) -> MapPoint {
    MapPoint(
      x: (Double(cell.column) + 0.5) * cellMapSize, y: (Double(cell.row) + 0.5) * cellMapSize)
  }

  /// The centre of a cell, to 1e-8°.
  func centerCoordinate(of cell: CellPosition) -> Coordinate {
    let center = center(of: cell)
    return Coordinate(
      latitude: (WebMercator.latitude(y: center.y) * 1e8).rounded() / 1e8,
      longitude: (WebMercator.longitude(x: center.x) * 1e8).rounded() / 1e8)
  }
}

/// What lies in both of two regions.
struct IntersectionRegion<A: IndexRegion, B: IndexRegion>: IndexRegion {
  let a: A
  let b: B

  func coverage(of node: Int, in view: IndexView) -> Coverage {
    switch (a.coverage(of: node, in: view), b.coverage(of: node, in: view)) {
    case (.outside, _), (_, .outside): .outside
    case (.inside, .inside): .inside
    default: .partial
    }
  }

  func contains(_ place: Int, in view: IndexView) -> Bool {
    a.contains(place, in: view) && b.contains(place, in: view)
  }
}
