/// What an annotation's id stands for today.
///
/// Features that are kept apart are not part of it, as in the viewport request whose settings are
/// repeated.
public struct Drilldown: Sendable {
  /// What a request says beside the id.
  public struct Options: Sendable {
    /// The settings of the viewport request.
    public var settings = ClusterSettings()
    /// Passes the features that count.
    public var filter: FeatureFilter?
    /// Weighs features in means.
    public var weights: PropertyColumn?

    /// The defaults.
    public init() {}
  }

  /// The annotation today.
  public let annotation: Annotation
  /// Where it comes from.
  public let layer: ClusterLayer
  private let index: FeatureIndex
  private let scope: FeatureScope
  private let options: Options
  /// Places in the scope.
  private let keptApart: OrdinalSet
  /// Of the annotation's features.
  private let box: PositionBox
  /// As above, bit for bit but where very many are on one edge.
  private let bounds: GeoBounds

  /// The cell size where an id has none.
  public static let defaultCellSize: Double = 60
  /// The zooms that are looked at for an expansion.
  public static let zooms = 0...24

  /// Looks an id up; nil where there is nothing today.
  ///
  /// - Parameter keys: the values of the property that a group is of; nil where no feature has it.
  public init?(
    _ id: AnnotationID, in index: FeatureIndex, _ options: Options = Options(),
    keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)? = { _ in nil }
  ) {
    self.index = index
    self.options = options
    guard case .cell(let name) = id else {
      guard let place = index.place(named: id), options.filter?.passes(place) ?? true else {
        return nil
      }
      (annotation, scope) = Drilldown.pin(place, of: index, options)
      keptApart = OrdinalSet([])
      box = PositionBox(index.position(at: place))
      bounds = annotation.bounds
      layer = Drilldown.layer(scope, nil, Drilldown.defaultCellSize, nil, keptApart)
      return
    }
    let region = CellRegion(grid: name.grid, cell: name.cell)
    var scope = FeatureScope(index, passing: options.filter, nearAny: region)
    var group: ClusterGroup?
    if let wanted = name.group {
      guard let (found, part) = Drilldown.group(wanted, of: scope, in: region, keys) else {
        return nil
      }
      (group, scope) = (found, part)
    }
    let settings = options.settings
    keptApart = scope.places(of: settings.keepApart)
    layer = Drilldown.layer(scope, name.grid, name.cellSize, group, keptApart)
    self.scope = scope
    guard
      let (found, box, bounds) = scope.points.annotation(
        of: region, location: name.location, position: settings.position, excluding: keptApart)
    else { return nil }
    (self.box, self.bounds) = (box, bounds)
    var annotation = found
    annotation.first = scope.collectionOrdinal(annotation.first)
    annotation.cell = name.cell
    if let weights = options.weights, settings.position == .centerOfMass {
      annotation.weigh(by: weights, index, layer)
    }
    self.annotation = annotation
  }

  private static func pin(
    _ place: Int, of index: FeatureIndex, _ options: Options
  ) -> (Annotation, FeatureScope) {
    var pin = Annotation(pin: place, of: index.points)
    // What may contest its coordinate.
    let others = index.points.ordinalsOfEqualPosition(as: place)
    var places = GrowingArray<UInt32>(capacity: others.count)
    for other in others where options.filter?.passes(other) ?? true { places.append(UInt32(other)) }
    let scope = FeatureScope(index, places: places.fixed)
    if options.settings.decluster {
      var spreading = PinLayout(scope, distance: options.settings.distanceFromContestedLocation)
      let (coordinate, contested) = spreading.pin(at: place)
      pin.spread = Annotation.Spread(originalCoordinate: pin.coordinate, contested: contested)
      pin.coordinate = coordinate
    }
    return (pin, scope)
  }

  /// The features of a group in a cell.
  private static func group(
    _ name: GroupName, of scope: FeatureScope, in region: CellRegion,
    _ keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) -> (ClusterGroup, FeatureScope)? {
    guard let (property, column) = keys(name) else {
      // A property that no feature has: all are without a value.
      return name.isOf(key: nil) ? (ClusterGroup(name: name, key: nil), scope) : nil
    }
    guard let rank = column.rank(of: name) else { return nil }
    let part = scope.selecting(in: region) { run, pass in
      for place in run where column.rank(at: place) == rank { pass(place) }
    }
    return (Grouping(property: property, keys: column).group(Int(rank)), part)
  }

  private static func layer(
    _ scope: FeatureScope, _ grid: CellGrid?, _ cellSize: Double, _ group: ClusterGroup?,
    _ keptApart: OrdinalSet
  ) -> ClusterLayer {
    let features = GridFeatures(
      scope: scope, region: EverywhereRegion(), grid: grid ?? CellGrid(cellsPerWorld: 1),
      keptApart: keptApart)
    return ClusterLayer(group: group, grid: grid, cellSize: cellSize) {
      features.forEachRun(of: $0, in: $1, $2)
    }
  }

  /// The smallest integer zoom at which, with the same cell size and more cells than its own grid,
  /// its features are in more than one cell; nil if there is none up to 24.
  public var expansionZoom: Int? {
    guard let grid = layer.grid, annotation.count > 1 else { return nil }
    var exact: GeoBounds?
    return Drilldown.zooms.first { zoom in
      let finer = CellGrid(zoom: Double(zoom), cellSize: layer.cellSize)
      guard finer.cellsPerWorld > grid.cellsPerWorld else { return false }
      if let known = box.isInSeveralCells(of: finer) { return known }
      let bounds = exact ?? exactBounds
      exact = bounds
      return finer.cell(of: WebMercator.x(longitude: bounds.west))
        != finer.cell(of: WebMercator.x(longitude: bounds.east))
        || finer.cell(of: WebMercator.y(latitude: bounds.north))
          != finer.cell(of: WebMercator.y(latitude: bounds.south))
    }
  }

  /// The bounds of its features, bit for bit. O(n).
  private var exactBounds: GeoBounds {
    var bounds = GeoBounds.empty
    let edges = EdgeRegion(box: box)
    layer.runs(annotation, nil) { run in
      for place in run {
        if edges.touches(PositionBox(index.position(at: place))) {
          bounds.formUnion(GeoBounds(index.coordinate(at: place)))
        }
      }
      return true
    }
    return bounds
  }

  /// The rectangle of its features, a tenth wider on each side, at least 512 map points each way.
  public var visibleMapRect: MapRect { bounds.visibleMapRect }

  /// The annotation as the only one of an answer.
  public var result: ClusterResult { ClusterResult(annotation, of: layer) }

  /// Its features clustered on the grid of another zoom, as if only they existed.
  public func children(
    zoom: Double, limit: Int
  ) throws(ImpossibleRequest) -> (cells: GridRange, result: ClusterResult) {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    let finer = CellGrid(zoom: zoom, cellSize: layer.cellSize)
    let cells = GridRange(grid: finer, holding: annotation.bounds.folded.widened)
    // Kept-apart features are not among its own.
    var settings = options.settings
    settings.keepApart = []
    var request = ClusterRequest(
      cells: cells, zoomLevel: zoom, cellSize: layer.cellSize, settings: settings, limit: limit)
    request.weights = options.weights
    let result =
      switch annotation.place {
      case .feature:
        try run(
          request,
          OrdinalRegion(excluded: OrdinalSet([]), only: scope.scopeOrdinal(annotation.first)))
      case .cell(let cell):
        try run(request, without(CellRegion(grid: layer.grid ?? finer, cell: cell)))
      case .location(let cell, let location):
        try run(
          request,
          without(
            LocationRegion(
              cell: CellRegion(grid: layer.grid ?? finer, cell: cell), location: location)))
      }
    return (cells, result)
  }

  private func without<R: IndexRegion>(_ region: R) -> IntersectionRegion<R, OrdinalRegion> {
    IntersectionRegion(a: region, b: OrdinalRegion(excluded: keptApart, only: nil))
  }

  private func run(
    _ request: ClusterRequest, _ region: some IndexRegion
  ) throws(ImpossibleRequest) -> ClusterResult {
    try scope.clusters(request, in: region, excluding: keptApart, group: layer.group)
  }
}

extension GeoBounds {
  /// The rectangle of features with these bounds, a tenth wider on each side, at least 512 map points
  /// each way.
  var visibleMapRect: MapRect {
    var bounds = folded
    // Across the antimeridian.
    if bounds.west > bounds.east { bounds.east += 360 }
    var rect = bounds.mapRect.grown(by: 0.1)
    let (width, height) = (max(rect.width, 512), max(rect.height, 512))
    rect.x -= (width - rect.width) / 2
    rect.y -= (height - rect.height) / 2
    (rect.width, rect.height) = (width, height)
    return rect
  }
}

extension Annotation {
  /// Moves a cluster of a whole cell to its weighted mean.
  mutating func weigh(by weights: PropertyColumn, _ index: FeatureIndex, _ layer: ClusterLayer) {
    guard isClusterOfCell else { return }
    var mean = WeightedMean(weights, index)
    layer.runs(self, nil) {
      mean.add($0)
      return true
    }
    coordinate = mean.coordinate(in: bounds) ?? coordinate
  }
}

extension ClusterResult {
  /// The places in the collection of an annotation's features in index order: at most `limit`, after
  /// `offset`.
  public func places(of annotation: Annotation, offset: Int, limit: Int) -> [Int] {
    var toSkip = offset
    var places: [Int] = []
    guard limit > 0, offset < annotation.count else { return places }
    forEachRun(of: annotation) { run in
      let skipped = min(toSkip, run.count)
      toSkip -= skipped
      places += run.dropFirst(skipped).prefix(limit - places.count)
      return places.count < limit
    }
    return places
  }
}

/// One place, or all but a few.
struct OrdinalRegion: IndexRegion {
  let excluded: OrdinalSet
  let only: Int?

  func coverage(of node: Int, in view: IndexPointers) -> Coverage {
    let points = view.points(of: node)
    if let only { return points.contains(only) ? .partial : .outside }
    return excluded.intersects(points) ? .partial : .inside
  }

  func contains(_ place: Int, in view: IndexPointers) -> Bool {
    only.map { $0 == place } ?? !excluded.contains(place)
  }
}

extension FeatureIndex {
  /// The place of the feature that an id names.
  func place(named id: AnnotationID) -> Int? {
    switch id {
    case .cell: nil
    case .feature(let feature): place(of: feature)
    case .longText(let prefix, let hash):
      prefix.withUnsafeBytes { bytes -> Int? in
        var place: Int?
        directory.forEach(from: directory.spot(notBefore: .text(bytes), records)) { reference in
          let text = records[reference].textID
          guard text.starts(with: prefix) else { return false }
          if StableHash128(text) == hash { place = self.place(of: reference) }
          return place == nil
        }
        return place
      }
    }
  }
}

extension PointIndex {
  /// The annotation of a whole cell or of one location in it.
  fileprivate func annotation(
    of region: CellRegion, location: Location?, position: ClusterPosition,
    excluding excluded: OrdinalSet
  ) -> (Annotation, PositionBox, GeoBounds)? {
    if let location {
      let part = LocationRegion(cell: region, location: location)
      return sum(of: part, cell: region.cell, excluding: excluded).map { sum in
        let annotation = Annotation(
          sum, of: self, in: part, excluding: excluded, as: .location(region.cell, location))
        return (annotation, sum.sum.box, exactBounds(annotation, sum, in: part, excluded))
      }
    }
    guard let sum = sum(of: region, cell: region.cell, excluding: excluded) else { return nil }
    let annotation = annotation(
      ofCell: sum, grid: region.grid, in: region, excluding: excluded, at: position
    ) {
      nearest(to: region.grid.center(of: region.cell), in: region, excluding: excluded)
    }
    return (annotation, sum.sum.box, exactBounds(annotation, sum, in: region, excluded))
  }

  private func exactBounds(
    _ annotation: Annotation, _ sum: CellSum, in region: some IndexRegion, _ excluded: OrdinalSet
  ) -> GeoBounds {
    let bounds = exactBounds(of: sum.sum.box, in: region, excluding: excluded, atMost: 4096)
    return bounds ?? annotation.bounds
  }

  /// What the features of a region add up to; nil when it is empty.
  private func sum(
    of region: some IndexRegion, cell: CellPosition, excluding excluded: OrdinalSet
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

extension PositionBox {
  /// Whether features whose box this is are in several cells of a grid; nil where positions can't tell.
  fileprivate func isInSeveralCells(of grid: CellGrid) -> Bool? {
    let columns = PositionBox.areApart(grid.cells(ofStep: minX), grid.cells(ofStep: maxX))
    let rows = PositionBox.areApart(grid.cells(ofStep: minY), grid.cells(ofStep: maxY))
    if columns == true || rows == true { return true }
    return columns == nil || rows == nil ? nil : false
  }

  private static func areApart(
    _ low: (first: Int, last: Int), _ high: (first: Int, last: Int)
  ) -> Bool? {
    if low.last < high.first { return true }
    return low.first == high.last ? false : nil
  }
}
