/// What an annotation's id stands for today.
///
/// Features that are kept apart are not part of it, as in the viewport request whose settings are
/// repeated.
public struct Drilldown: Sendable {
  /// The annotation today.
  public let annotation: Annotation
  /// The grid of the id; nil where it names a feature.
  public let grid: CellGrid?
  /// The cell size of the id in points; the default where it names a feature.
  public let cellSize: Double

  private let index: FeatureIndex
  private let settings: ClusterSettings
  private let keptApart: PlaceSet

  /// The cell size where an id has none.
  public static let defaultCellSize: Double = 60
  /// The zooms that are looked at for an expansion.
  public static let zooms = 0...24

  /// Looks an id up; nil where there is nothing today.
  public init?(_ id: AnnotationID, in index: FeatureIndex, settings: ClusterSettings) {
    self.index = index
    self.settings = settings
    guard case .cell(let grid, let cellSize, let cell, let location) = id else {
      guard let place = index.place(named: id) else { return nil }
      var pin = Annotation(pin: place, of: index.points)
      if settings.decluster {
        var spreading = Spreading(
          points: index.points, distance: settings.distanceFromContestedLocation)
        let (coordinate, contested) = spreading.pin(at: place)
        pin.spread = Annotation.Spread(
          originalCoordinate: pin.coordinate, contested: contested)
        pin.coordinate = coordinate
      }
      (annotation, self.grid, self.cellSize) = (pin, nil, Drilldown.defaultCellSize)
      keptApart = PlaceSet([])
      return
    }
    keptApart = index.places(of: settings.keepApart)
    (self.grid, self.cellSize) = (grid, cellSize)
    let region = CellRegion(grid: grid, cell: cell)
    guard
      let annotation = index.points.annotation(
        of: region, location: location, position: settings.position, excluding: keptApart)
    else { return nil }
    self.annotation = annotation
  }

  /// The smallest integer zoom at which, with the same cell size and more cells than its own grid,
  /// its features are in more than one cell; nil if there is none up to 24.
  public var expansionZoom: Int? {
    guard let grid, annotation.count > 1 else { return nil }
    let bounds = annotation.bounds
    let west = WebMercator.x(longitude: bounds.west)
    let east = WebMercator.x(longitude: bounds.east)
    let north = WebMercator.y(latitude: bounds.north)
    let south = WebMercator.y(latitude: bounds.south)
    return Drilldown.zooms.first { zoom in
      let finer = CellGrid(zoom: Double(zoom), cellSize: cellSize)
      return finer.cellsPerWorld > grid.cellsPerWorld
        && (finer.cell(of: west) != finer.cell(of: east)
          || finer.cell(of: north) != finer.cell(of: south))
    }
  }

  /// The rectangle of its features, a tenth wider on each side, at least 512 map points each way.
  public var visibleMapRect: MapRect {
    var rect = annotation.bounds.folded.mapRect.grown(by: 0.1)
    let (width, height) = (max(rect.width, 512), max(rect.height, 512))
    rect.x -= (width - rect.width) / 2
    rect.y -= (height - rect.height) / 2
    (rect.width, rect.height) = (width, height)
    return rect
  }

  /// The places of its features in index order: at most `limit`, after `offset`.
  public func places(offset: Int, limit: Int) -> [Int] {
    var toSkip = offset
    var places: [Int] = []
    guard limit > 0, offset < annotation.count else { return places }
    forEachFeature { place in
      if toSkip > 0 {
        toSkip -= 1
        return true
      }
      places.append(place)
      return places.count < limit
    }
    return places
  }

  /// Calls `body` with the places of its features in index order until it returns false.
  public func forEachFeature(_ body: (Int) -> Bool) {
    guard let grid, annotation.count > 1 else {
      _ = body(annotation.first)
      return
    }
    index.points.forEachPlace(
      of: annotation, grid: grid, in: EverywhereRegion(), excluding: keptApart, body)
  }

  /// Its features clustered on the grid of another zoom, as if only they existed.
  public func children(
    zoom: Double, limit: Int
  ) throws(ImpossibleRequest) -> (grid: CellGrid, result: ClusterResult) {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    let finer = CellGrid(zoom: zoom, cellSize: cellSize)
    let cells = GridRange(grid: finer, holding: annotation.bounds.folded)
    // Kept-apart features are not among its own.
    var settings = self.settings
    settings.keepApart = []
    let result: ClusterResult
    switch annotation.place {
    case .feature:
      let region = PlacesRegion(excluded: PlaceSet([]), only: annotation.first)
      result = try run(region, cells, zoom, settings, limit)
    case .cell(let cell):
      let own = CellRegion(grid: grid ?? finer, cell: cell)
      result = try run(without(own), cells, zoom, settings, limit)
    case .location(let cell, let location):
      let own = LocationRegion(
        cell: CellRegion(grid: grid ?? finer, cell: cell), location: location)
      result = try run(without(own), cells, zoom, settings, limit)
    }
    return (finer, result)
  }

  private func without<R: IndexRegion>(_ region: R) -> IntersectionRegion<R, PlacesRegion> {
    IntersectionRegion(a: region, b: PlacesRegion(excluded: keptApart, only: nil))
  }

  private func run(
    _ region: some IndexRegion, _ cells: GridRange, _ zoom: Double, _ settings: ClusterSettings,
    _ limit: Int
  ) throws(ImpossibleRequest) -> ClusterResult {
    var clusterer = GridClusterer(
      points: index.points, region: region, cells: cells, zoomLevel: zoom, cellSize: cellSize,
      settings: settings, keptApart: PlaceSet([]), limit: limit, excluding: keptApart)
    return try clusterer.run()
  }
}

/// One place, or all but a few.
struct PlacesRegion: IndexRegion {
  let excluded: PlaceSet
  let only: Int?

  func coverage(of node: Int, in view: IndexView) -> Coverage {
    let points = view.points(of: node)
    if let only { return points.contains(only) ? .partial : .outside }
    return excluded.intersects(points) ? .partial : .inside
  }

  func contains(_ place: Int, in view: IndexView) -> Bool {
    only.map { $0 == place } ?? !excluded.contains(place)
  }
}

extension FeatureIndex {
  /// The place of the feature that an id names.
  fileprivate func place(named id: AnnotationID) -> Int? {
    switch id {
    case .cell: nil
    case .feature(let feature): place(of: feature)
    case .longText(let prefix, let hash):
      prefix.withUnsafeBytes { bytes -> Int? in
        var rank = rankNotBefore(.text(bytes))
        while rank < count {
          let place = Int(byID.pointer[rank])
          let text = record(at: place).textID
          guard text.starts(with: prefix) else { return nil }
          if StableHash128(text) == hash { return place }
          rank += 1
        }
        return nil
      }
    }
  }
}

extension PointIndex {
  /// The annotation of a whole cell or of one location in it.
  fileprivate func annotation(
    of region: CellRegion, location: Location?, position: ClusterPosition,
    excluding excluded: PlaceSet
  ) -> Annotation? {
    if let location {
      let sum = sum(
        of: LocationRegion(cell: region, location: location), cell: region.cell,
        excluding: excluded)
      return sum.map { Annotation($0, of: self, as: .location(region.cell, location)) }
    }
    guard let sum = sum(of: region, cell: region.cell, excluding: excluded) else { return nil }
    return annotation(ofCell: sum, grid: region.grid, at: position) {
      nearest(to: region.grid.center(of: region.cell), in: region, excluding: excluded)
    }
  }

  /// What the features of a region add up to; nil when it is empty.
  private func sum(
    of region: some IndexRegion, cell: CellPosition, excluding excluded: PlaceSet
  ) -> CellSum? {
    var sum: CellSum?
    walk(
      region,
      take: { node, view in
        let points = view.points(of: node)
        guard !excluded.intersects(points) else { return .open }
        var total = sum ?? CellSum(cell: cell, first: points.lowerBound)
        total.add(node: node, points, in: view, countingLocations: false)
        sum = total
        return .taken
      },
      point: { place, view in
        if excluded.contains(place) { return true }
        var total = sum ?? CellSum(cell: cell, first: place)
        total.add(place, in: view, countingLocations: false)
        sum = total
        return true
      })
    return sum
  }
}
