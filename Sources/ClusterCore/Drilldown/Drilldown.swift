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
    _ id: AnnotationID, in collection: IndexedCollection, _ options: Options = Options(),
    keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)? = { _ in nil }
  ) {
    let index = collection.index
    self.index = index
    self.options = options
    guard case .cell(let name) = id else {
      guard let place = index.place(named: id), options.filter?.passes(place) ?? true else {
        return nil
      }
      (annotation, scope) = Drilldown.pin(place, of: collection, options)
      keptApart = OrdinalSet([])
      box = PositionBox(index.position(at: place))
      bounds = annotation.bounds
      layer = Drilldown.layer(scope, nil, Drilldown.defaultCellSize, nil, keptApart)
      return
    }
    let region = CellRegion(grid: name.grid, cell: name.cell)
    var scope = FeatureScope(collection, passing: options.filter, nearAny: region)
    var group: ClusterGroup?
    if let wanted = name.group {
      guard let (found, part) = Drilldown.group(wanted, of: scope, in: region, keys) else {
        return nil
      }
      (group, scope) = (found, part)
    }
    let settings = options.settings
    keptApart = scope.ordinals(of: settings.keepApart)
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
    _ place: Int, of collection: IndexedCollection, _ options: Options
  ) -> (Annotation, FeatureScope) {
    let index = collection.index
    var pin = Annotation(pin: place, of: index.points)
    // What may contest its coordinate.
    let others = index.points.ordinalsOfEqualPosition(as: place)
    var places = GrowingArray<UInt32>(capacity: others.count)
    for other in others where options.filter?.passes(other) ?? true { places.append(UInt32(other)) }
    let scope = FeatureScope(collection, ordinals: places.fixed)
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
