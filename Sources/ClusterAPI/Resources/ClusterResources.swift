import ClusterCore
import GeoFormats
import HTTPServer

extension API {
  /// What a viewport request asks for.
  private struct ViewRequest {
    var viewport: Viewport
    var settings: ClusterSettings
    var output: OutputOptions
    var limit: Int
    var debug: Bool

    static let maximumGridCells = 10_000.0

    init(_ fields: Fields) throws {
      let rect = try fields.visibleRect()
      let scale = try fields.scale()
      settings = try fields.clusterSettings()
      output = try fields.outputOptions()
      limit = try fields.integer("limit", in: 1...10_000) ?? 10_000
      debug = try fields.bool("debug") ?? false
      viewport = try Viewport(
        rect: rect, scale: scale, cellSize: try fields.number("cellSize") ?? 60,
        marginFactor: try fields.number("marginFactor") ?? 0.5)
      if debug, viewport.cells.count > ViewRequest.maximumGridCells {
        throw Viewport.tooManyCells(
          viewport.cells, limit: Int(ViewRequest.maximumGridCells), cellSize: viewport.cellSize,
          field: "debug")
      }
    }
  }

  func clusters(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let (view, format) = try withViewFields(request) { fields, format in
      (try ViewRequest(fields), format)
    }
    let type = try request.negotiate([.json, .geoJSON], format: format)
    let snapshot = try snapshot(id)
    let etag = request.method == .post ? nil : entityTag(snapshot, request, type)
    if let etag, request.matches(etag: etag) { return HTTPResponse(status: 304, etag: etag) }
    let index = snapshot.index
    let result = try index.clusters(
      in: view.viewport, settings: view.settings, limit: view.limit)
    let cells = view.viewport.cells
    let answer = ClusterAnswer(
      snapshot: snapshot, zoomLevel: view.viewport.zoomLevel, grid: cells.grid,
      cellSize: view.viewport.cellSize, gridRect: cells.mapRect, result: result,
      output: view.output, debugCells: view.debug ? cells : nil)
    return HTTPResponse(answer.json(type), type: type, etag: etag)
  }

  /// Reads the fields of a viewport from the body of a POST or the query of a GET; a POST's query
  /// holds the format only.
  func withViewFields<R>(
    _ request: HTTPRequest, _ body: (Fields, _ format: String?) throws -> R
  ) throws -> R {
    guard request.method == .post else {
      let fields = try Fields(query: request.query, allowed: ViewFields.all + ["f"])
      return try body(fields, try fields.string("f"))
    }
    let query = try Fields(query: request.query, allowed: ["f"])
    try request.checkBodyType([.json])
    return try withBodyObject(request, allowed: ViewFields.all) { fields, _ in
      try body(fields, try query.string("f"))
    }
  }

  // MARK: One annotation

  /// What an annotation's id stands for, with the fields that the query may repeat, all of them
  /// read before it is looked for.
  private struct AnnotationRequest {
    var fields: Fields
    var output: OutputOptions
    var type: MediaType
    var snapshot: CollectionSnapshot
    var drilldown: Drilldown
  }

  private func annotationRequest(
    _ id: String, _ annotation: String, _ request: HTTPRequest, offered: [MediaType],
    alsoAllowed: [String] = []
  ) throws -> AnnotationRequest {
    let fields = try Fields(
      query: request.query, allowed: ViewFields.drilldown + ["f"] + alsoAllowed)
    let type = try request.negotiate(offered, format: try fields.string("f"))
    let settings = try fields.clusterSettings()
    let output = try fields.outputOptions()
    let snapshot = try snapshot(id)
    guard let annotationID = AnnotationID(text: annotation),
      let drilldown = Drilldown(annotationID, in: snapshot.index, settings: settings)
    else { throw Problem.notFound("nothing is at this annotation's place today") }
    return AnnotationRequest(
      fields: fields, output: output, type: type, snapshot: snapshot, drilldown: drilldown)
  }

  func getAnnotation(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let asked = try annotationRequest(id, annotation, request, offered: [.json])
    let drilldown = asked.drilldown
    let writer = AnnotationWriter(
      index: asked.snapshot.index, grid: drilldown.grid ?? CellGrid(cellsPerWorld: 1),
      cellSize: drilldown.cellSize, options: asked.output,
      forEachFeature: { drilldown.forEachFeature($1) })
    var json = JSONWriter()
    json.beginObject()
    writer.writeMembers(drilldown.annotation, into: &json)
    json.key("expansionZoom")
    if let zoom = drilldown.expansionZoom { json.value(zoom) } else { json.null() }
    json.key("visibleMapRect")
    json.mapRect(drilldown.visibleMapRect)
    json.endObject()
    return HTTPResponse(json, etag: entityTag(asked.snapshot, request, .json))
  }

  func annotationItems(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.geoJSON, .json], alsoAllowed: Paging.names)
    let paging = try Paging(asked.fields)
    return API.featureCollection(
      asked.drilldown.places(offset: paging.offset, limit: paging.limit),
      of: asked.snapshot.index, matched: asked.drilldown.annotation.count, paging: paging,
      request: request, type: asked.type, etag: entityTag(asked.snapshot, request, asked.type))
  }

  func annotationChildren(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.json, .geoJSON], alsoAllowed: ["childZoom"])
    let drilldown = asked.drilldown
    guard
      let zoom = try asked.fields.number("childZoom") ?? drilldown.expansionZoom.map(Double.init)
    else {
      throw asked.fields.problem(
        "childZoom", status: 422,
        "no zoom up to 24 tells these features apart; childZoom can ask for one all the same")
    }
    let zoomLevel = Viewport.rounded(zoom)
    let (grid, result) = try API.children(of: drilldown, zoomLevel: zoomLevel)
    let answer = ClusterAnswer(
      snapshot: asked.snapshot, zoomLevel: zoomLevel, grid: grid, cellSize: drilldown.cellSize,
      gridRect: nil, result: result, output: asked.output, debugCells: nil)
    return HTTPResponse(
      answer.json(asked.type), type: asked.type,
      etag: entityTag(asked.snapshot, request, asked.type))
  }

  /// The children, or an error that names the field that this resource has.
  private static func children(
    of drilldown: Drilldown, zoomLevel: Double
  ) throws(ImpossibleRequest) -> (grid: CellGrid, result: ClusterResult) {
    let limit = 10_000
    do {
      return try drilldown.children(zoom: zoomLevel, limit: limit)
    } catch {
      guard error.field == "limit" else { throw error }
      throw ImpossibleRequest(
        field: "childZoom",
        detail: "at zoom \(zoomLevel) there are more than \(limit) children; a lower childZoom "
          + "would do")
    }
  }

  // MARK: Pins

  func pins(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let (region, distance, properties, limit) = try withViewFields(request) {
      fields, format in
      _ = try request.negotiate([.json], format: format)
      let rect = try fields.visibleRect()
      // What has no effect is held to the same ranges, so that a body that passes here passes there.
      if fields.has("viewportWidth") || fields.has("zoom") {
        try Viewport.check(scale: try fields.scale())
      }
      if let cellSize = try fields.number("cellSize") { try Viewport.check(cellSize: cellSize) }
      _ = try fields.bool("debug")
      let settings = try fields.clusterSettings()
      let output = try fields.outputOptions()
      let margin = try fields.number("marginFactor") ?? 0.5
      try Viewport.check(marginFactor: margin)
      return (
        MapRegion(rect.grown(by: margin)), settings.distanceFromContestedLocation,
        output.properties, try fields.integer("limit", in: 1...10_000) ?? 1000
      )
    }
    let snapshot = try snapshot(id)
    let index = snapshot.index
    let etag = request.method == .post ? nil : entityTag(snapshot, request, .json)
    let places = try index.places(in: region, limit: limit)
    var spreading = Spreading(points: index.points, distance: distance)
    var json = JSONWriter(reserving: 256 + places.count * 256)
    json.beginObject()
    json.member("featureCount", places.count)
    json.member("version", snapshot.info.version)
    json.key("pins")
    json.beginArray()
    for place in places {
      json.pin(place, of: index, spreading.pin(at: place), properties)
    }
    json.endArray()
    json.endObject()
    return HTTPResponse(json, etag: etag)
  }
}

extension JSONWriter {
  fileprivate mutating func pin(
    _ place: Int, of index: FeatureIndex, _ pin: (coordinate: Coordinate, contested: Int),
    _ selection: PropertySelection
  ) {
    let record = index.record(at: place)
    beginObject()
    key("id")
    featureID(record.rawID)
    key("coordinate")
    coordinate(pin.coordinate)
    key("originalCoordinate")
    coordinate(record.coordinate)
    member("contested", pin.contested)
    key("feature")
    beginObject()
    key("id")
    featureID(record.rawID)
    properties(of: record, selection)
    endObject()
    endObject()
  }
}
