import ClusterCore
import Collections
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
    /// The beginning of links, if the answer has any.
    var base: String?

    /// The kind of read that it is.
    func kind(_ part: ReadKind.Resource) -> ReadKind {
      let collection = snapshot.info.id
      var kind =
        viewport.map { ReadKind(part, of: collection, $0) } ?? ReadKind(part, of: collection)
      if viewport == nil { kind.add(options, options.needs) }
      if case .cell(let name) = id {
        kind.add(size: Double(name.grid.cellsPerWorld))
        kind.add(name.group == nil ? 0 : 1)
        kind.add(name.location == nil ? 0 : 1)
      }
      if let childZoom { kind.add(Int(min(max(childZoom, 0), 30))) }
      kind.add(size: Double(paging.limit))
      kind.add(type == .csv ? 1 : 0)
      return kind
    }

    /// The notes on the properties that it names.
    func notes() -> [String] {
      (viewport.map { PropertyNotes($0) } ?? PropertyNotes(options)).sentences(
        in: snapshot.collection)
    }
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
      etag: entityTag(snapshot.info, request, type, links: base), base: base)
  }

  /// Answers about the annotation that an id names, if it is there today.
  private func answer(
    _ asked: AnnotationRequest, _ request: HTTPRequest, as part: ReadKind.Resource,
    _ make: @escaping @Sendable (FoundAnnotation) throws -> HTTPResponse
  ) throws -> Outcome {
    let collection = asked.snapshot.collection
    return .response(to: request, etag: asked.etag, kind: asked.kind(part)) {
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
    return try answer(asked, request, as: .annotation) { found in
      if found.isPlacedByZoom {
        throw Problem(
          422, field: "spreadUnit", inBody: false,
          "the id of a feature's pin names no zoom, so its place in points isn't known; meters would do"
        )
      }
      var answer = ClusterAnswer(snapshot: asked.snapshot, result: found.result)
      answer.output = asked.options.output
      // It comes last here, and for pins, too.
      answer.output.expansion = false
      (answer.statistics, answer.side) = (found.statistics, asked.viewport?.side)
      let writer = try AnnotationWriter(answer)
      return try HTTPResponse(etag: asked.etag) { json in
        writer.writeMembers(found.annotation, into: &json)
        try AnswerLimit.check(json)
        json.expansion(try found.expansion())
        json.notes(asked.notes())
      }
    }
  }

  /// The convex hull of an annotation's features, as a GeoJSON geometry.
  func annotationHull(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> Outcome {
    let asked = try annotationRequest(id, annotation, request, offered: [.geoJSON, .json])
    return try answer(asked, request, as: .annotationHull) { found in
      let annotation = found.annotation
      var hull = found.result.hull(of: annotation, in: asked.snapshot.index)
      if let side = asked.viewport?.side {
        hull = hull.turned(near: side.turned(annotation.coordinate.longitude))
      }
      var json = JSONWriter(reserving: 64 + hull.corners.count * 32)
      json.geometry(hull)
      try AnswerLimit.check(json)
      return HTTPResponse(json, type: asked.type, etag: asked.etag).noting(asked.notes())
    }
  }

  func annotationItems(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> Outcome {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.geoJSON, .json, .csv], isPaged: true)
    return try answer(asked, request, as: .annotationItems) { found in
      try FeaturePage(
        ordinals: found.result.ordinals(
          of: found.annotation, offset: asked.paging.offset, limit: asked.paging.limit),
        matched: found.annotation.count, snapshot: asked.snapshot, paging: asked.paging,
        notes: asked.notes(), request: request, base: asked.base ?? "",
        type: asked.type, etag: asked.etag
      ).response()
    }
  }

  func annotationChildren(
    _ id: String, _ annotation: String, _ request: HTTPRequest
  ) throws -> Outcome {
    let asked = try annotationRequest(
      id, annotation, request, offered: [.json, .geoJSON], hasChildZoom: true)
    return try answer(asked, request, as: .annotationChildren) { found in
      var answer = ClusterAnswer(snapshot: asked.snapshot, result: ClusterResult())
      answer.output = asked.options.output
      answer.notes = asked.notes()
      if let zoom = try asked.childZoom ?? found.expansion().zoom.map(Double.init) {
        try found.children(zoom: Viewport.rounded(zoom), into: &answer)
      } else {
        try found.pins(asked.options.settings, into: &answer)
      }
      answer.side = asked.viewport?.side
      if asked.type == .geoJSON {
        answer.output.isGeoJSON = true
        answer.output.hasTextIDs = asked.snapshot.index.idForms != .integers
      }
      answer.statistics = found.statistics
      return HTTPResponse(try answer.json(), type: asked.type, etag: asked.etag)
    }
  }
}
