import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  /// A request about an annotation: its id, and the fields that the query may repeat. All of them are read
  /// before the annotation is looked for.
  private struct AnnotationRequest: Sendable {
    var id: AnnotationID?
    /// Set for methods without a grid.
    var viewport: ViewportRequest?
    var options: CellOptions
    var type: MediaType
    var paging: Paging
    var childZoom: Double?
    var snapshot: CollectionSnapshot
    var etag: String
    /// What links begin with, if the answer has any.
    var base: String?
  }

  private static let methodNames = ViewportField.names(.methodAnnotation).filter { $0 != "method" }
  private static let annotationNames =
    ViewportField.names([.annotation, .methodAnnotation]) + ["f"]

  private func annotationRequest(
    _ id: String, _ annotation: String, _ request: HTTPRequest, offered: [MediaType],
    isPaged: Bool = false, hasChildZoom: Bool = false
  ) throws -> AnnotationRequest {
    var allowed = Resources.annotationNames
    if isPaged { allowed += Paging.names }
    if hasChildZoom { allowed.append("childZoom") }
    let fields = try Fields(query: request.query, allowed: allowed)
    let type = try request.negotiate(offered, format: try fields.string("f"))
    var values = ViewportValues()
    try fields.read(.method, of: .methodAnnotation, into: &values)
    var viewport: ViewportRequest?
    if values.method == .grid {
      if let name = Resources.methodNames.first(where: fields.has) {
        throw fields.problem(name, "\(name) is only for the methods distance and collision")
      }
      try fields.readSettings(of: .annotation, into: &values)
      try fields.read(.properties, .output, of: .annotation, into: &values)
    } else {
      let request = try ViewportRequest(fields, of: [.annotation, .methodAnnotation])
      (viewport, values) = (request, request.values)
    }
    let paging = try Paging(fields)
    let childZoom = hasChildZoom ? try fields.number("childZoom") : nil
    let snapshot = try snapshot(id)
    let base = isPaged ? base(of: request) : nil
    viewport = viewport?.resolved(by: snapshot.info.temporal)
    values.cell.properties = values.cell.properties.resolved(by: snapshot.info.temporal)
    return AnnotationRequest(
      id: AnnotationID(text: annotation), viewport: viewport, options: values.cell, type: type,
      paging: paging, childZoom: childZoom, snapshot: snapshot,
      etag: entityTag(snapshot, request, type, links: base), base: base)
  }

  /// Answers about the annotation that an id names, if it is there today.
  private func answer(
    _ asked: AnnotationRequest, _ request: HTTPRequest, as part: Cost.AnnotationPart,
    _ make: @escaping @Sendable (FoundAnnotation) throws -> HTTPResponse
  ) throws -> Outcome {
    let collection = asked.snapshot.collection
    return .response(
      to: request, etag: asked.etag,
      isSmall: asked.viewport == nil
        && SmallRead.isSmall(asked.id, asked.options, as: part, over: collection),
      cost: {
        Cost(
          of: asked.id, in: asked.viewport, asked.options, as: part, over: collection)
      }
    ) {
      let properties = try BoundProperties(asked.options.neededProperties, in: collection)
      guard let id = asked.id,
        let found = try FoundAnnotation(
          id, asked.viewport, asked.options.settings, properties, in: collection)
      else { throw Problem.notFound("there is no annotation with this id today") }
      return try make(found)
    }
  }

  func getAnnotation(_ id: String, _ annotation: String, _ request: HTTPRequest) throws -> Outcome {
    let asked = try annotationRequest(id, annotation, request, offered: [.json])
    return try answer(asked, request, as: .itself) { found in
      let writer = try AnnotationWriter(
        collection: asked.snapshot.collection, result: found.result, options: asked.options.output,
        statistics: found.statistics)
      return try HTTPResponse(etag: asked.etag) { json in
        writer.writeMembers(found.annotation, into: &json)
        try AnswerLimit.check(json)
        json.key("expansionZoom")
        if let zoom = try found.expansionZoom() { json.value(zoom) } else { json.null() }
        json.key("visibleMapRect")
        json.mapRect(found.visibleMapRect)
      }
    }
  }

  func annotationItems(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> Outcome {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.geoJSON, .json], isPaged: true)
    return try answer(asked, request, as: .items(asked.paging.limit)) { found in
      Resources.featureCollection(
        found.result.ordinals(
          of: found.annotation, offset: asked.paging.offset, limit: asked.paging.limit),
        of: asked.snapshot.index, matched: found.annotation.count, paging: asked.paging,
        request: request, base: asked.base ?? "", type: asked.type, etag: asked.etag)
    }
  }

  func annotationChildren(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> Outcome {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.json, .geoJSON], hasChildZoom: true)
    return try answer(asked, request, as: .children(zoom: asked.childZoom)) { found in
      guard let zoom = try asked.childZoom ?? found.expansionZoom().map(Double.init) else {
        throw Problem(
          422, field: "childZoom", inBody: false,
          "no zoom up to 24 tells these features apart; childZoom may still name one")
      }
      var answer = ClusterAnswer(snapshot: asked.snapshot, result: ClusterResult())
      try found.children(zoom: Viewport.rounded(zoom), into: &answer)
      answer.output = asked.options.output
      answer.output.isGeoJSON = asked.type == .geoJSON
      answer.statistics = found.statistics
      return HTTPResponse(try answer.json(), type: asked.type, etag: asked.etag)
    }
  }
}
