import ClusterCore
import Collections
import GeoFormats

extension ClusterAnswer {
  /// The encoded answer to a viewport; throws ``ImpossibleRequest`` if there are more annotations than its limit.
  static func json(
    _ request: ViewportRequest, of snapshot: CollectionSnapshot
  ) throws -> JSONWriter {
    let options = request.values.cell
    guard let plain = request.plain, PlainCellWriter.writes(options.output) else {
      return try ClusterAnswer(request, of: snapshot).json()
    }
    let collection = snapshot.collection
    let properties = try BoundProperties(options.neededProperties, in: collection)
    let notes = PropertyNotes(request).sentences(in: collection)
    let scope = FeatureScope(
      collection, passing: properties.filter, near: plain, isSummedUp: true)
    var json = JSONWriter(reserving: 64)
    try scope.withPlainCells(plain) { (cells) throws(ImpossibleRequest) in
      var answer = ClusterAnswer(snapshot: snapshot, result: ClusterResult())
      answer.describe(request.area)
      answer.notes = notes
      answer.result.featureCount = cells.featureCount
      json = JSONWriter(reserving: 1024 + cells.count * 320)
      answer.openAnnotations(into: &json)
      PlainCellWriter(plain, of: collection.index, options.output).write(cells, into: &json)
      try AnswerLimit.check(json)
      json.endArray()
      json.endObject()
    }
    return json
  }

  /// Some cells of a viewport on a grid.
  enum Cells {
    case range(GridRange)
    case selection(CellSelection)
  }

  /// Clusters a viewport; throws ``ImpossibleRequest`` if there are more annotations than its limit.
  init(_ request: ViewportRequest, of snapshot: CollectionSnapshot) throws {
    let collection = snapshot.collection
    let properties = try BoundProperties(request.values.cell.neededProperties, in: collection)
    let scope: FeatureScope
    switch BoundViewport(request, properties) {
    case .grid(let grid):
      scope = FeatureScope(
        collection, passing: properties.filter, near: grid, isSummedUp: request.isSummedUp)
      self.init(snapshot, try scope.clusters(grid), request.values.cell, properties)
    case .tiles(let tiles):
      scope = FeatureScope(collection, passing: properties.filter, near: tiles.viewport.tiles)
      var result = try scope.clusters(tiles, markers: collection.markers(tiles))
      if request.values.cell.output.needsExpansion {
        try tiles.findExpansionZooms(in: &result, collection)
      }
      self.init(snapshot, result, request.values.cell, properties)
    }
    describe(request.area)
    side = request.side
    notes = PropertyNotes(request).sentences(in: collection)
    if request.values.debug, case .grid(let viewport, _) = request.area {
      debugCells = (viewport.cells, scope.countsByCell(viewport.cells))
    }
    if let asked = request.values.histogram {
      let cells =
        switch request.area {
        case .grid(let viewport, _): viewport.cells
        case .tiles(let viewport): viewport.tiles
        }
      histogram = try HistogramAnswer(asked, in: cells, of: scope, snapshot.info.temporal)
    }
    if let previous = request.values.previous {
      var reuse = AnnotationReuse(
        previous, in: scope, grouping: properties.grouping, keys: { collection.keys(of: $0) })
      try reuse.apply(to: &result)
      changes = (previous.map(\.id), reuse.removed)
    }
  }

  /// Clusters some cells of a viewport on a grid; throws ``ImpossibleRequest`` if there are more annotations
  /// than `limit`, by default the request's.
  init(
    _ cells: Cells, of request: ViewportRequest, limit: Int? = nil, in snapshot: CollectionSnapshot
  ) throws {
    let properties = try BoundProperties(
      request.values.cell.neededProperties, in: snapshot.collection)
    guard case .grid(var grid) = BoundViewport(request, properties) else {
      preconditionFailure("only a viewport on a grid has cells")
    }
    grid.limit = limit ?? grid.limit
    let (collection, filter) = (snapshot.collection, properties.filter)
    let result: ClusterResult
    switch cells {
    case .range(let range):
      grid.cells = range
      let scope = FeatureScope(
        collection, passing: filter, near: grid, isSummedUp: request.isSummedUp)
      result = try scope.clusters(grid)
    case .selection(let selection):
      let scope = FeatureScope(
        collection, passing: filter, near: selection, of: grid, isSummedUp: request.isSummedUp)
      result = try scope.clusters(grid, in: selection)
    }
    self.init(snapshot, result, request.values.cell, properties)
    side = request.side
  }

  private init(
    _ snapshot: CollectionSnapshot, _ result: ClusterResult, _ options: CellOptions,
    _ properties: BoundProperties
  ) {
    self.init(snapshot: snapshot, result: result)
    output = options.output
    statistics = properties.annotationStatistics
  }
}

extension ViewportRequest {
  /// Whether the answer is that of a grid and has nothing beside the annotations of its cells.
  private var isOfCells: Bool {
    guard case .grid = area else { return false }
    return !values.debug && values.previous == nil && values.histogram == nil
  }

  /// Whether the answer needs nothing of the single features of clusters.
  var isSummedUp: Bool {
    let (output, properties) = (values.cell.output, values.cell.neededProperties)
    return isOfCells && properties.groupBy == nil && output.members == 0
      && output.neededTitleProperty == nil && !properties.hasStatistics
  }

  /// The clustering of a plain view, whose answer needs nothing but its cells; nil for any other.
  var plain: ClusterRequest? {
    guard case .grid(let viewport, _) = area, isOfCells, side == nil,
      !values.cell.properties.hasStatistics, values.cell.properties.groupBy == nil
    else { return nil }
    let plain = ClusterRequest(
      viewport, settings: values.cell.settings,
      limit: values.limit ?? ClusterRequest.maximumLimit)
    return plain.isPlain ? plain : nil
  }
}
