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
        var error = Viewport.tooManyCells(
          viewport.cells.count, limit: Int(ViewRequest.maximumGridCells),
          cellSize: viewport.cellSize, zoom: viewport.zoomLevel)
        error.field = "debug"
        throw error
      }
    }
  }

  func clusters(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let (view, format) = try withViewFields(request, formats: true) { fields, format in
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
    _ request: HTTPRequest, formats: Bool, _ body: (Fields, _ format: String?) throws -> R
  ) throws -> R {
    let formatName = formats ? ["f"] : []
    guard request.method == .post else {
      let fields = try Fields(query: request.query, allowed: ViewFields.all + formatName)
      return try body(fields, try fields.string("f"))
    }
    let query = try Fields(query: request.query, allowed: formatName)
    try request.checkBodyType([.json])
    return try withBodyObject(request, allowed: ViewFields.all) { fields, _ in
      try body(fields, try query.string("f"))
    }
  }

  // MARK: One annotation

  private func drilldown(
    _ id: String, _ annotation: String, _ request: HTTPRequest, alsoAllowed: [String]
  ) throws -> (Fields, CollectionSnapshot, Drilldown) {
    let fields = try Fields(
      query: request.query, allowed: ViewFields.drilldown + alsoAllowed)
    let settings = try fields.clusterSettings()
    let snapshot = try snapshot(id)
    guard let annotationID = AnnotationID(text: annotation),
      let drilldown = Drilldown(annotationID, in: snapshot.index, settings: settings)
    else { throw Problem.notFound("nothing is at this annotation's place today") }
    return (fields, snapshot, drilldown)
  }

  func getAnnotation(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    _ = try request.negotiate([.json], format: nil)
    let (fields, snapshot, drilldown) = try drilldown(id, annotation, request, alsoAllowed: [])
    let writer = AnnotationWriter(
      index: snapshot.index, grid: drilldown.grid ?? CellGrid(cellsPerWorld: 1),
      cellSize: drilldown.cellSize, options: try fields.outputOptions(),
      forEachFeature: { drilldown.forEachFeature($1) })
    var json = JSONWriter()
    json.beginObject()
    writer.writeMembers(drilldown.annotation, into: &json)
    json.key("expansionZoom")
    if let zoom = drilldown.expansionZoom { json.value(zoom) } else { json.null() }
    json.key("visibleMapRect")
    json.mapRect(drilldown.visibleMapRect)
    json.endObject()
    return HTTPResponse(json, etag: entityTag(snapshot, request, .json))
  }

  func annotationItems(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let (fields, snapshot, drilldown) = try drilldown(
      id, annotation, request, alsoAllowed: Paging.names + ["f"])
    let type = try request.negotiate([.geoJSON, .json], format: try fields.string("f"))
    let paging = try Paging(fields)
    return API.featureCollection(
      drilldown.places(offset: paging.offset, limit: paging.limit), of: snapshot.index,
      matched: drilldown.annotation.count, paging: paging, request: request,
      etag: entityTag(snapshot, request, type))
  }

  func annotationChildren(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> HTTPResponse {
    let (fields, snapshot, drilldown) = try drilldown(
      id, annotation, request, alsoAllowed: ["childZoom", "f"])
    let type = try request.negotiate([.json, .geoJSON], format: try fields.string("f"))
    guard let zoom = try fields.number("childZoom") ?? drilldown.expansionZoom.map(Double.init)
    else {
      throw fields.problem(
        "childZoom", status: 422,
        "no zoom up to 24 tells these features apart; childZoom can ask for one all the same")
    }
    let (grid, result) = try drilldown.children(zoom: zoom, limit: 10_000)
    let answer = ClusterAnswer(
      snapshot: snapshot, zoomLevel: zoom, grid: grid, cellSize: drilldown.cellSize,
      gridRect: nil, result: result, output: try fields.outputOptions(), debugCells: nil)
    return HTTPResponse(
      answer.json(type), type: type, etag: entityTag(snapshot, request, type))
  }

  // MARK: Pins

  func pins(_ id: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let (region, distance, properties, limit) = try withViewFields(request, formats: false) {
      fields, _ in
      let rect = try fields.visibleRect()
      if fields.has("viewportWidth") || fields.has("zoom") { _ = try fields.scale() }
      let settings = try fields.clusterSettings()
      let output = try fields.outputOptions()
      _ = (try fields.number("cellSize"), try fields.bool("debug"))
      let margin = try fields.number("marginFactor") ?? 0.5
      try Viewport.checkMarginFactor(margin)
      return (
        MapRegion(rect.grown(by: margin)), settings.distanceFromContestedLocation,
        output.properties, try fields.integer("limit", in: 1...10_000) ?? 1000
      )
    }
    _ = try request.negotiate([.json], format: nil)
    let snapshot = try snapshot(id)
    let index = snapshot.index
    let etag = request.method == .post ? nil : entityTag(snapshot, request, .json)
    let places = try index.places(in: region, limit: limit)
    var spreading = Spreading(index: index, distance: distance)
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
