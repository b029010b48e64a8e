import ClusterCore
import Collections
import GeoFormats

extension ClusterAnswer {
  /// The encoded answer to a viewport; throws ``ImpossibleRequest`` if there are more annotations than its limit.
  static func json(
    _ request: ViewportRequest, of snapshot: CollectionSnapshot
  ) throws -> JSONWriter {
    var json = JSONWriter(reserving: 64)
    try withAnswer(to: request, of: snapshot) { (answer) throws(ImpossibleRequest) in
      json = try answer.json()
    }
    return json
  }

  /// Lends the answer to a viewport, found in the cheapest way that serves its needs.
  ///
  /// - Throws: ``ImpossibleRequest`` if there are more annotations than the request's limit.
  static func withAnswer(
    to request: ViewportRequest, of snapshot: CollectionSnapshot,
    _ body: (ClusterAnswer) throws(ImpossibleRequest) -> Void
  ) throws {
    guard request.needs.isSubset(of: .plainCells) else {
      return try body(ClusterAnswer(request, of: snapshot))
    }
    let (options, collection) = (request.values.cell, snapshot.collection)
    let properties = try BoundProperties(options.neededProperties, in: collection)
    guard case .grid(let grid) = BoundViewport(request, properties) else {
      preconditionFailure("only a viewport on a grid is plain")
    }
    let notes = PropertyNotes(request).sentences(in: collection)
    let scope = FeatureScope(
      collection, passing: properties.filter, near: grid, for: request.needs)
    try scope.withPlainCells(grid) { (result, cells) throws(ImpossibleRequest) in
      var answer = ClusterAnswer(snapshot, result, options, properties)
      answer.describe(request.area)
      (answer.cells, answer.notes) = (cells, notes)
      try body(answer)
    }
  }

  /// All that a viewport shows, or some cells of one on a grid.
  enum Cells {
    case all
    case range(GridRange)
    case selection(CellSelection)
  }

  /// Clusters a viewport, or some of its cells; throws ``ImpossibleRequest`` if there are more annotations than `limit`,
  /// by default the request's.
  init(
    _ request: ViewportRequest, _ cells: Cells = .all, limit: Int? = nil,
    of snapshot: CollectionSnapshot
  ) throws {
    let (collection, options) = (snapshot.collection, request.values.cell)
    let properties = try BoundProperties(options.neededProperties, in: collection)
    let filter = properties.filter
    let scope: FeatureScope
    var found: ClusterResult
    switch BoundViewport(request, properties) {
    case .grid(var grid):
      grid.limit = limit ?? grid.limit
      var selection: CellSelection?
      switch cells {
      case .all: break
      case .range(let range): grid.cells = range
      case .selection(let some): selection = some
      }
      scope = FeatureScope(
        collection, passing: filter, near: grid, in: selection, for: request.needs)
      found = try scope.clusters(grid, in: selection)
    case .tiles(let tiles):
      scope = FeatureScope(collection, passing: filter, near: tiles.viewport.tiles)
      found = try scope.clusters(tiles, markers: collection.markers(tiles))
      if request.needs.contains(.expansions) {
        try tiles.findExpansionZooms(in: &found, collection)
      }
    }
    self.init(snapshot, found, options, properties)
    side = request.side
    guard case .all = cells else { return }
    describe(request.area)
    notes = PropertyNotes(request).sentences(in: collection)
    let shown = request.area.cells
    if request.values.debug { debugCells = (shown, scope.countsByCell(shown)) }
    if let asked = request.values.histogram {
      histogram = try HistogramAnswer(asked, in: shown, of: scope, snapshot.info.temporal)
    }
    if let previous = request.values.previous {
      var reuse = AnnotationReuse(
        previous, in: scope, grouping: properties.grouping, keys: { collection.keys(of: $0) })
      try reuse.apply(to: &result)
      changes = (previous.map(\.id), reuse.removed)
    }
  }

  init(
    _ snapshot: CollectionSnapshot, _ result: ClusterResult, _ options: CellOptions,
    _ properties: BoundProperties
  ) {
    self.init(snapshot: snapshot, result: result)
    output = options.output
    statistics = properties.annotationStatistics
  }
}
