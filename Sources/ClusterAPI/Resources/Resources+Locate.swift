import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  private static let locateNames =
    ["latitudinalMeters", "longitudinalMeters", "viewportWidth", "viewportHeight"]
    + ViewportField.names(.locate)

  /// Finds a feature: the view that shows it, and what stands for it there.
  func locate(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let query = try Fields(query: request.query, allowed: ["f"])
    _ = try request.negotiate([.json], format: try query.string("f"))
    try request.checkBodyType([.json])
    let snapshot = try snapshot(id)
    guard let featureID = try? FeatureID(bareText: feature.utf8),
      let place = snapshot.index.ordinal(of: featureID)
    else { throw Problem.notFound("the collection has no such feature") }
    let (view, asked) = try parsers.withObject(ofBody: request.body, allowed: Resources.locateNames)
    { fields, _ in
      let view = try fields.featureViewport(of: snapshot.index.coordinate(at: place))
      let asked = try ViewportRequest(
        fields, of: .locate, rect: view.rect, scale: .viewportWidth(view.width))
      return (view, asked)
    }
    return try .response(isLong: snapshot.index.count > 1) {
      try Resources.locate(place, view, asked, snapshot)
    }
  }

  private static func locate(
    _ place: Int, _ view: FeatureViewport, _ asked: ViewportRequest, _ snapshot: CollectionSnapshot
  ) throws -> HTTPResponse {
    let collection = snapshot.collection
    let properties = BoundProperties(asked.values.cell.neededProperties, in: collection)
    if let filter = properties.filter, !filter.passes(place) {
      throw Problem.notFound("the filter excludes the feature")
    }
    let located: LocatedFeature
    switch BoundViewport(asked, properties) {
    case .grid(let request):
      located = LocatedFeature(place, in: collection, passing: properties.filter, request)
    case .tiles(let request):
      located = try LocatedFeature(
        place, in: collection, passing: properties.filter, request, view,
        margin: asked.values.margin, markers: collection.markers(request))
    }
    var json = JSONWriter()
    json.beginObject()
    json.key("visibleMapRect")
    json.mapRect(view.rect)
    json.key("bbox")
    json.bbox(view.bounds)
    json.member("zoomLevel", asked.zoomLevel)
    json.key("annotation")
    if let annotation = located.annotation {
      try AnnotationWriter(
        collection: collection, result: located.result, options: asked.values.cell.output,
        statistics: properties.annotationStatistics
      ).write(annotation, into: &json)
    } else {
      json.null()
    }
    json.key("standaloneZoom")
    if let zoom = located.standaloneZoom { json.value(zoom) } else { json.null() }
    json.endObject()
    return HTTPResponse(json)
  }
}

extension Fields {
  /// The view of a coordinate.
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
