import ClusterCore
import GeoFormats
import HTTPServer

extension Resources {
  func pins(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let view = try withViewportFields(request, .pins) { fields, format in
      _ = try request.negotiate([.json], format: format)
      return try PinRequest(fields)
    }
    let snapshot = try snapshot(id)
    let etag = request.method == .post ? nil : entityTag(snapshot, request, .json)
    if let etag, request.matches(etag: etag) {
      return .now(HTTPResponse(status: 304, etag: etag))
    }
    let isLong = Effort.isLong(over: snapshot.collection, filter: view.filter)
    return try .response(isLong: isLong) {
      HTTPResponse(try Resources.pins(view, snapshot), etag: etag)
    }
  }

  private static func pins(
    _ view: PinRequest, _ snapshot: CollectionSnapshot
  ) throws -> JSONWriter {
    let index = snapshot.index
    let filter = view.filter.map { snapshot.collection.filter($0) }
    let scope = FeatureScope(snapshot.collection, passing: filter, near: view.region)
    let places = try scope.ordinals(in: view.region, limit: view.limit)
    var pinLayout = PinLayout(scope, distance: view.distance)
    var json = JSONWriter(reserving: 256 + places.count * 256)
    json.beginObject()
    json.member("featureCount", places.count)
    json.member("version", snapshot.info.version)
    json.key("pins")
    json.beginArray()
    for place in places {
      json.pin(place, of: index, pinLayout.pin(at: place), view.properties)
    }
    json.endArray()
    json.endObject()
    return json
  }
}

extension JSONWriter {
  fileprivate mutating func pin(
    _ place: Int, of index: FeatureIndex, _ pin: (coordinate: Coordinate, contested: Int),
    _ selection: AnnotationOptions.PropertySelection
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
