import ClusterCore
import Collections
import GeoFormats
import HTTPServer

extension Resources {
  private static let locateNames =
    ["latitudinalMeters", "longitudinalMeters", "viewportWidth", "viewportHeight"]
    + ViewportField.names(.locate)

  /// Finds a feature: the viewport that shows it, and the annotation that stands for it there.
  func locate(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    _ = try request.answerType([.json])
    try request.checkBodyType([.json])
    let snapshot = try snapshot(id)
    let ordinal = try ordinal(of: feature, in: snapshot)
    let (viewport, asked) = try parsers.withObject(
      ofBody: request.body, allowed: Resources.locateNames
    ) { fields, _ in
      let viewport = try fields.featureViewport(of: snapshot.index.coordinate(at: ordinal))
      let asked = try ViewportRequest(
        fields, of: .locate, rect: viewport.rect, scale: .viewportWidth(viewport.width))
      return (viewport, asked.resolved(by: snapshot.info.temporal))
    }
    return .response(to: request, kind: ReadKind(.locate, of: id, asked)) {
      try Resources.locate(ordinal, viewport, asked, snapshot)
    }
  }

  private static func locate(
    _ ordinal: Int, _ viewport: FeatureViewport, _ asked: ViewportRequest,
    _ snapshot: CollectionSnapshot
  ) throws -> HTTPResponse {
    let collection = snapshot.collection
    let properties = try BoundProperties(asked.values.cell.neededProperties, in: collection)
    let filter = properties.filter
    if let filter, !filter.passes(ordinal) {
      throw Problem.notFound("the filter excludes the feature")
    }
    let located =
      switch BoundViewport(asked, properties) {
      case .grid(let request):
        LocatedFeature(ordinal, in: collection, passing: filter, request)
      case .tiles(let request):
        try LocatedFeature(
          ordinal, in: collection, passing: filter, request, viewport,
          margin: asked.values.margin, markers: collection.markers(request),
          findsExpansion: asked.values.cell.output.needsExpansion)
      }
    return try HTTPResponse { json in
      json.key("visibleMapRect")
      json.mapRect(viewport.rect)
      json.key("bbox")
      json.write(.bounds(viewport.bounds))
      json.member("zoomLevel", asked.area.zoomLevel)
      json.key("annotation")
      if let annotation = located.annotation {
        var answer = ClusterAnswer(snapshot, located.result, asked.values.cell, properties)
        answer.side = asked.side
        try AnnotationWriter(answer).write(annotation, into: &json)
        try AnswerLimit.check(json)
      } else {
        json.null()
      }
      json.key("standaloneZoom")
      if let zoom = located.standaloneZoom { json.value(zoom) } else { json.null() }
      json.notes(PropertyNotes(asked).sentences(in: collection))
    }
  }
}

extension Fields {
  /// The viewport around a coordinate.
  fileprivate func featureViewport(of coordinate: Coordinate) throws -> FeatureViewport {
    func required(_ name: String) throws(Problem) -> Double {
      guard let value = try number(name) else { throw problem(name, "\(name) is required") }
      return value
    }
    return try FeatureViewport(
      of: coordinate, latitudinalMeters: required("latitudinalMeters"),
      longitudinalMeters: required("longitudinalMeters"), width: required("viewportWidth"),
      height: required("viewportHeight"))
  }
}
