import ClusterCore
import Collections
import GeoFormats
import HTTPServer
import Threading

extension Resources {
  func pins(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let given = try withViewportFields(request, .pins) { fields, format in
      _ = try request.negotiate([.json], format: format)
      return try PinRequest(fields)
    }
    let snapshot = try snapshot(id)
    let asked = given.resolved(by: snapshot.info.temporal)
    let etag = request.method == .post ? nil : entityTag(snapshot.info, request, .json)
    var kind = ReadKind(.pins, of: id)
    kind.add(size: asked.region.area)
    kind.add(size: Double(asked.limit))
    kind.add(asked.properties)
    kind.add(asked.filter)
    return .response(to: request, etag: etag, kind: kind) {
      try Resources.pins(asked, snapshot, etag)
    }
  }

  private static func pins(
    _ asked: PinRequest, _ snapshot: CollectionSnapshot, _ etag: String?
  ) throws -> HTTPResponse {
    let index = snapshot.index
    let filter = try asked.filter.map { try snapshot.collection.filter($0) }
    let scope = FeatureScope(snapshot.collection, passing: filter, near: asked.region)
    let ordinals = try scope.ordinals(in: asked.region, limit: asked.limit)
    let notes = PropertyNotes(filter: asked.filter).sentences(in: snapshot.collection)
    var pinLayout = PinLayout(scope, asked.spread)
    return try HTTPResponse(etag: etag, reserving: 256 + ordinals.count * 256) { json in
      json.member("featureCount", ordinals.count)
      json.member("version", snapshot.info.version)
      json.notes(notes)
      let properties = asked.properties
      try json.array("pins") { json in
        for ordinal in ordinals {
          let record = index.record(at: ordinal)
          if Cancellation.poll(500 &+ record.properties.count / 4) { return }
          json.pin(record, pinLayout.pin(at: ordinal), properties, asked.side)
          try AnswerLimit.check(json)
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func pin(
    _ record: FeatureRecord, _ pin: (coordinate: Coordinate, contested: Int),
    _ selection: AnnotationOptions.PropertySelection, _ side: LongitudeSide?
  ) {
    var (place, origin) = (pin.coordinate, record.coordinate)
    if let side {
      place = side.turned(place)
      origin.longitude = LongitudeSide.turned(origin.longitude, near: place.longitude)
    }
    beginObject()
    key("id")
    featureID(record.rawID)
    key("coordinate")
    coordinate(place)
    key("originalCoordinate")
    coordinate(origin)
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
