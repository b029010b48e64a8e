/// The annotation that an id names in the current version of a collection.
///
/// Features that are kept apart are not part of it, as in the viewport request with the same settings.
public struct Drilldown: Sendable {
  /// The options of a request other than the id.
  public struct Options: Sendable {
    /// The settings of the viewport request.
    public var settings = ClusterSettings()
    /// The filter that features must pass, if any.
    public var filter: FeatureFilter?
    /// The weights of features in means, if any.
    public var weights: PropertyColumn?

    /// Creates the default options.
    public init() {}
  }

  /// The annotation.
  public let annotation: Annotation
  /// The layer of the annotation.
  public let layer: ClusterLayer
  private let index: FeatureIndex
  private let scope: FeatureScope
  private let options: Options
  /// The ordinals in the scope of the features that are kept apart.
  private let keptApart: OrdinalSet
  private let box: PositionBox
  /// The bounds of the annotation's features, exact unless very many of them are on one edge.
  private let bounds: GeoBounds

  /// The cell size for ids that don't name one.
  public static let defaultCellSize: Double = 60
  /// The zooms that are considered for an expansion.
  public static let zooms = 0...24

  /// Looks up an id; nil if it currently names no features.
  ///
  /// - Parameter keys: Returns the grouping property of a group and its keys; nil if no feature has it.
  public init?(
    _ id: AnnotationID, in collection: IndexedCollection, _ options: Options = Options(),
    keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)? = { _ in nil }
  ) {
    let index = collection.index
    self.index = index
    self.options = options
    guard case .cell(let name) = id else {
      guard let ordinal = index.ordinal(named: id), options.filter?.passes(ordinal) ?? true else {
        return nil
      }
      (annotation, scope) = Drilldown.pin(ordinal, of: collection, options)
      keptApart = OrdinalSet([])
      box = PositionBox(index.position(at: ordinal))
      bounds = annotation.bounds
      layer = ClusterLayer(
        scope, grid: nil, cellSize: Drilldown.defaultCellSize, group: nil, keptApart: keptApart)
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
    layer = ClusterLayer(
      scope, grid: name.grid, cellSize: name.cellSize, group: group, keptApart: keptApart)
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
    _ ordinal: Int, of collection: IndexedCollection, _ options: Options
  ) -> (Annotation, FeatureScope) {
    let index = collection.index
    var pin = Annotation(pin: ordinal, of: index.points)
    // The features that may share its coordinate.
    let others = index.points.ordinalsOfEqualPosition(as: ordinal)
    var ordinals = GrowingArray<UInt32>(capacity: others.count)
    for other in others where options.filter?.passes(other) ?? true {
      ordinals.append(UInt32(other))
    }
    let scope = FeatureScope(collection, ordinals: ordinals.fixed)
    if options.settings.decluster {
      var pinLayout = PinLayout(scope, distance: options.settings.distanceFromContestedLocation)
      let (coordinate, contested) = pinLayout.pin(at: ordinal)
      pin.spread = Annotation.Spread(originalCoordinate: pin.coordinate, contested: contested)
      pin.coordinate = coordinate
    }
    return (pin, scope)
  }

  private static func group(
    _ name: GroupName, of scope: FeatureScope, in region: CellRegion,
    _ keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) -> (ClusterGroup, FeatureScope)? {
    guard let (property, column) = keys(name) else {
      // No feature has the property: all are without a value.
      return name.isOf(key: nil) ? (ClusterGroup(name: name, key: nil), scope) : nil
    }
    guard let rank = column.rank(of: name) else { return nil }
    let part = scope.selecting(in: region) { run, pass in
      for ordinal in run where column.rank(at: ordinal) == rank { pass(ordinal) }
    }
    return (Grouping(property: property, keys: column).group(Int(rank)), part)
  }

  /// The smallest integer zoom at which a grid of the same cell size has more cells than the
  /// annotation's own grid and its features are in several cells; nil if there is none up to 24.
  public var expansionZoom: Int? {
    guard let grid = layer.grid, annotation.count > 1 else { return nil }
    var exact: GeoBounds?
    return Drilldown.zooms.first { zoom in
      let finer = CellGrid(zoom: Double(zoom), cellSize: layer.cellSize)
      guard finer.cellsPerWorld > grid.cellsPerWorld else { return false }
      if let known = box.isInSeveralCells(of: finer) { return known }
      let bounds = exact ?? layer.exactBounds(of: annotation, in: index)
      exact = bounds
      return finer.cell(of: WebMercator.x(longitude: bounds.west))
        != finer.cell(of: WebMercator.x(longitude: bounds.east))
        || finer.cell(of: WebMercator.y(latitude: bounds.north))
          != finer.cell(of: WebMercator.y(latitude: bounds.south))
    }
  }

  /// The rectangle in which to show its features: extended by a tenth on each side and at least 512 map
  /// points wide and high.
  public var visibleMapRect: MapRect { bounds.visibleMapRect }

  /// The annotation as the only one of a result.
  public var result: ClusterResult { ClusterResult(annotation, of: layer) }

  /// Clusters its features on the grid of another zoom as if only they existed.
  public func children(
    zoom: Double, limit: Int
  ) throws(ImpossibleRequest) -> (cells: GridRange, result: ClusterResult) {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    let finer = CellGrid(zoom: zoom, cellSize: layer.cellSize)
    let cells = GridRange(grid: finer, holding: annotation.bounds.folded.widened)
    // Features that are kept apart are not part of the annotation.
    var settings = options.settings
    settings.keepApart = []
    var request = ClusterRequest(
      cells: cells, zoomLevel: zoom, cellSize: layer.cellSize, settings: settings, limit: limit)
    request.weights = options.weights
    let result =
      switch annotation.key {
      case .feature:
        try run(
          request,
          OrdinalRegion(excluded: OrdinalSet([]), only: scope.scopeOrdinal(annotation.first)))
      case .cell(let cell):
        try run(request, CellRegion(grid: layer.grid ?? finer, cell: cell).without(keptApart))
      case .location(let cell, let location):
        try run(
          request,
          LocationRegion(
            cell: CellRegion(grid: layer.grid ?? finer, cell: cell), location: location
          ).without(keptApart))
      }
    return (cells, result)
  }

  private func run(
    _ request: ClusterRequest, _ region: some IndexRegion
  ) throws(ImpossibleRequest) -> ClusterResult {
    try scope.clusters(request, in: region, excluding: keptApart, group: layer.group)
  }
}
