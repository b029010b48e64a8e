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

  /// Its features on another grid: the zoom of the grid, its cells that hold them, and the annotations.
  public typealias Children = (zoomLevel: Double, cells: GridRange, result: ClusterResult)

  /// The annotation.
  public let annotation: Annotation
  /// The layer of the annotation.
  public let layer: ClusterLayer
  let collection: IndexedCollection
  let options: Options
  /// The part of the features that its group is; nil if they aren't grouped.
  let part: GroupPart?
  private let scope: FeatureScope
  /// The ordinals in the scope of the features that are kept apart.
  private let keptApart: OrdinalSet

  /// The cell size for ids that don't name one.
  public static let defaultCellSize: Double = 60

  /// Looks up an id; nil if it currently names no features.
  ///
  /// - Parameter keys: Returns the grouping property of a group and its keys; nil if no feature has it.
  public init?(
    _ id: AnnotationID, in collection: IndexedCollection, _ options: Options = Options(),
    keys: (GroupName) -> (property: [UInt8], keys: KeyColumn)? = { _ in nil }
  ) {
    let index = collection.index
    (self.collection, self.options) = (collection, options)
    guard case .cell(let name) = id else {
      guard let ordinal = index.ordinal(named: id), options.filter?.passes(ordinal) ?? true else {
        return nil
      }
      (annotation, scope) = Drilldown.pin(ordinal, of: collection, options)
      (keptApart, part) = (OrdinalSet([]), nil)
      layer = ClusterLayer(
        scope, grid: nil, cellSize: Drilldown.defaultCellSize, options.settings, group: nil,
        keptApart: keptApart)
      return
    }
    var region = CellRegion(grid: name.grid, cell: name.cell)
    var part: GroupPart?
    if let wanted = name.group {
      guard let found = GroupPart(wanted, keys) else { return nil }
      part = found
    }
    self.part = part
    let scope = Drilldown.scope(of: collection, passing: options.filter, part, in: region)
    let settings = options.settings
    keptApart = scope.ordinals(of: settings.keepApart)
    layer = ClusterLayer(
      scope, grid: name.grid, cellSize: name.cellSize, settings, group: part?.group,
      keptApart: keptApart)
    self.scope = scope
    region.location = name.location
    guard
      var annotation = scope.points.annotation(
        of: region, position: settings.position, excluding: keptApart)
    else { return nil }
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
    let scope = FeatureScope(
      collection, ordinals: others.filter { options.filter?.passes($0) ?? true })
    if options.settings.decluster {
      // The id of a feature's pin names no zoom.
      var pinLayout = PinLayout(scope, options.settings.spread(atZoom: 0))
      pin.spread(by: &pinLayout, of: ordinal)
    }
    return (pin, scope)
  }

  /// The features of a group that pass a filter, at least those in a cell.
  static func scope(
    of collection: IndexedCollection, passing filter: FeatureFilter?, _ part: GroupPart?,
    in region: CellRegion
  ) -> FeatureScope {
    let all = FeatureScope(collection, passing: filter, nearAny: AnyRegion(region))
    guard let part, let column = part.keys else { return all }
    return all.selecting(in: region) { column.rank(at: $0) == part.rank }
  }

  /// The annotation as the only one of a result.
  public var result: ClusterResult { ClusterResult(annotation, of: layer) }

  /// Whether the place of its pin depends on a zoom, which its id doesn't name.
  public var isPlacedByZoom: Bool {
    annotation.spread != nil && options.settings.spreadUnit == .points
  }

  /// Its features at the last zoom, each of them a pin of its own, spread around shared coordinates.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more pins than the limit, or memory is short.
  public func pins(limit: Int) throws(ImpossibleRequest) -> Children {
    var settings = options.settings
    (settings.decluster, settings.maxZoomLevelForClustering) = (true, -.infinity)
    return try children(zoom: Double(ClusterLayer.zooms.upperBound), limit: limit, settings)
  }

  /// Clusters its features on the grid of another zoom as if only they existed.
  ///
  /// - Throws: ``ImpossibleRequest`` if the zoom is out of range, there are more children than the limit, or memory
  ///   is short.
  public func children(zoom: Double, limit: Int) throws(ImpossibleRequest) -> Children {
    try children(zoom: zoom, limit: limit, options.settings)
  }

  private func children(
    zoom: Double, limit: Int, _ settings: ClusterSettings
  ) throws(ImpossibleRequest) -> Children {
    try ImpossibleRequest.check("childZoom", zoom, in: 0...24)
    let zoomLevel = settings.zoomStep.roundedDown(zoom)
    let finer = CellGrid(zoom: zoomLevel, cellSize: layer.cellSize)
    let cells = GridRange(grid: finer, holding: annotation.bounds.folded.widened)
    // Features that are kept apart are not part of the annotation.
    var settings = settings
    settings.keepApart = []
    var request = ClusterRequest(
      cells: cells, zoomLevel: zoomLevel, screenZoom: zoom, cellSize: layer.cellSize,
      settings: settings, limit: limit)
    request.weights = options.weights
    let (scope, region) =
      if let own = annotation.region(on: layer.grid ?? finer) {
        (scope, AnyRegion(own.without(keptApart)))
      } else {
        // Without others that share its coordinate.
        (FeatureScope(collection, ordinals: [annotation.first]), AnyRegion(EverywhereRegion()))
      }
    let result = try scope.clusters(
      request, in: region, excluding: keptApart, group: layer.group)
    return (zoomLevel, cells, result)
  }
}

extension Drilldown {
  /// The zoom at which its features come apart, and the rectangle in which to show them.
  ///
  /// - Complexity: O(n) in the features of at most 25 cells if its features alone don't meet the thresholds, as
  ///   the cells that hold them are then summed up at each zoom.
  public var expansion: Expansion {
    let found = layer.finestBounds(of: annotation, in: collection.index)
    let zoom = layer.expansionZoom(of: annotation, in: collection.index, found) {
      isClustered($1, of: $0)
    }
    return Expansion(zoom: zoom, visibleMapRect: found.bounds.visibleMapRect)
  }

  /// Whether a cell that holds its features meets the thresholds, together with its other features.
  private func isClustered(_ cell: CellPosition, of grid: CellGrid) -> Bool {
    let settings = options.settings
    let locations = settings.minUniqueLocationsForClustering
    // A cell has no fewer features than the annotation alone.
    if annotation.count >= settings.minPoints, locations <= 1 { return true }
    let region = CellRegion(grid: grid, cell: cell)
    let scope = Drilldown.scope(of: collection, passing: options.filter, part, in: region)
    let sum = GridSummation.sums(
      of: scope.points, in: EverywhereRegion(), by: GridRange(grid: grid, only: cell),
      excluding: scope.ordinals(of: settings.keepApart), countingLocations: locations > 1
    ).first
    return sum.map(settings.areMet(by:)) ?? true
  }
}

/// The group that an annotation's id names, and the test for its features.
struct GroupPart: Sendable {
  let group: ClusterGroup
  /// The keys of the grouping property; nil if no feature has it, so that all are in the group without a value.
  let keys: KeyColumn?
  /// The rank of the group among the keys.
  let rank: UInt32

  /// Nil if no feature is in such a group.
  ///
  /// - Parameter lookUp: Returns the grouping property of a group and its keys; nil if no feature has it.
  init?(
    _ name: GroupName, _ lookUp: (GroupName) -> (property: [UInt8], keys: KeyColumn)?
  ) {
    guard let (property, keys) = lookUp(name) else {
      guard name.isOf(key: nil) else { return nil }
      (group, self.keys, rank) = (ClusterGroup(name: name, key: nil), nil, 0)
      return
    }
    guard let rank = keys.rank(of: name) else { return nil }
    (group, self.keys) = (Grouping(property: property, keys: keys).group(Int(rank)), keys)
    self.rank = rank
  }
}
