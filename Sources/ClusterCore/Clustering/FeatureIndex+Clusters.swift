extension FeatureIndex {
  /// What to draw in a viewport. Exact at every zoom.
  ///
  /// Costs what the grid's lines cross, O(cells · log n) for any but odd data, not what the world
  /// holds.
  ///
  /// - Parameters:
  ///   - settings: validated.
  ///   - limit: the most annotations, 1…10 000.
  /// - Throws: ``ImpossibleRequest`` when there are more.
  public func clusters(
    in viewport: Viewport, settings: ClusterSettings, limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    var clusterer = GridClusterer(
      points: points, region: EverywhereRegion(), cells: viewport.cells,
      zoomLevel: viewport.zoomLevel, cellSize: viewport.cellSize, settings: settings,
      keptApart: places(of: settings.keepApart), limit: limit)
    return try clusterer.run()
  }

  /// The id of an annotation of a grid.
  public func id(of annotation: Annotation, grid: CellGrid, cellSize: Double) -> AnnotationID {
    switch annotation.place {
    case .cell(let cell): .cell(grid, cellSize: cellSize, cell, nil)
    case .location(let cell, let location): .cell(grid, cellSize: cellSize, cell, location)
    case .feature: AnnotationID(feature: record(at: annotation.first).id)
    }
  }

  /// The places of those of some features that there are.
  func places(of ids: [FeatureID]) -> PlaceSet { PlaceSet(ids.compactMap { place(of: $0) }) }

  // MARK: Features by where they are

  /// The number of features in a bbox.
  public func count(in region: DegreesRegion?) -> Int {
    guard let region else { return count }
    return points.countPlaces(in: region)
  }

  /// The places of features in a bbox, in index order: at most `limit`, after `offset`. Skipped ones
  /// cost O(log n).
  public func places(in region: DegreesRegion?, offset: Int, limit: Int) -> [Int] {
    guard let region else {
      return offset < count ? Array(offset..<min(count, offset + min(limit, count))) : []
    }
    return places(inAny: region, offset: offset, limit: limit)
  }

  /// The places of the features in a rectangle, in index order.
  ///
  /// - Throws: ``ImpossibleRequest`` when there are more than the limit.
  public func places(in region: MapRegion, limit: Int) throws(ImpossibleRequest) -> [Int] {
    let found = points.countPlaces(in: region)
    guard found <= limit else {
      let remedy =
        found <= GridClusterer<EverywhereRegion>.maximumLimit
        ? "a limit of \(found) would do" : "a smaller rect or clustering would do"
      throw ImpossibleRequest(
        field: "limit",
        detail: "the rect holds \(found) features, more than the limit of \(limit); \(remedy)")
    }
    return places(inAny: region, offset: 0, limit: limit)
  }

  func places(inAny region: some IndexRegion, offset: Int, limit: Int) -> [Int] {
    var places: [Int] = []
    guard limit > 0 else { return places }
    points.forEachPlace(in: region, offset: offset) { place in
      places.append(place)
      return places.count < limit
    }
    return places
  }
}

extension PointIndex {
  /// Calls `body` with the places of an annotation's features in index order until it returns
  /// false: those that lie in a region and are not excluded.
  func forEachPlace(
    of annotation: Annotation, grid: CellGrid, in region: some IndexRegion,
    excluding excluded: PlaceSet, _ body: (Int) -> Bool
  ) {
    let each: (Int) -> Bool = { excluded.contains($0) || body($0) }
    switch annotation.place {
    case .feature: _ = body(annotation.first)
    case .cell(let cell):
      forEachPlace(in: IntersectionRegion(a: CellRegion(grid: grid, cell: cell), b: region), each)
    case .location(let cell, let location):
      let own = LocationRegion(cell: CellRegion(grid: grid, cell: cell), location: location)
      forEachPlace(in: IntersectionRegion(a: own, b: region), each)
    }
  }
}
