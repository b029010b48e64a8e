import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

extension API {
  // MARK: Lists

  func listItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["bbox", "filter", "f"] + Paging.names)
    let type = try request.negotiate([.geoJSON, .json], format: try fields.string("f"))
    let paging = try Paging(fields)
    let filter = try fields.filter()
    let region = try fields.numbers("bbox").map { values in
      let bbox = try fields.bboxValues(values, sixAllowed: true)
      return try DegreesRegion(
        west: bbox.west, south: bbox.south, east: bbox.east, north: bbox.north)
    }
    let snapshot = try snapshot(id)
    let etag = entityTag(snapshot, request, type)
    if request.matches(etag: etag) { return .now(HTTPResponse(status: 304, etag: etag)) }
    let index = snapshot.index
    return try answer(isLong: Effort.isLong(over: index, filter: filter)) {
      let scope = FeatureScope(
        index, passing: filter.map { API.filter($0, of: index) }, near: region)
      return API.featureCollection(
        scope.places(in: region, offset: paging.offset, limit: paging.limit),
        of: index, matched: scope.count(in: region), paging: paging, request: request,
        type: type, etag: etag)
    }
  }

  /// A page of features. As JSON and as GeoJSON it is the same, only its type is another.
  static func featureCollection(
    _ places: [Int], of index: FeatureIndex, matched: Int, paging: Paging, request: HTTPRequest,
    type: MediaType, etag: String
  ) -> HTTPResponse {
    var json = JSONWriter(reserving: 512 + places.count * 256)
    json.beginObject()
    json.member("type", "FeatureCollection")
    json.member("numberMatched", matched)
    json.member("numberReturned", places.count)
    json.key("links")
    json.beginArray()
    json.link(request.target, "self", type.rawValue, "This page")
    let next = paging.offset + places.count
    if paging.limit > 0 && next < matched {
      json.link(nextPage(request, offset: next), "next", type.rawValue, "The next page")
    }
    json.endArray()
    json.key("features")
    json.beginArray()
    for place in places { json.feature(index.record(at: place)) }
    json.endArray()
    json.endObject()
    return HTTPResponse(json, type: type, etag: etag)
  }

  /// The request's target with every parameter but another offset.
  private static func nextPage(_ request: HTTPRequest, offset: Int) -> String {
    let others = (request.query ?? "").split(separator: "&").filter {
      PercentCoding.decode($0.prefix { $0 != "=" }, plusIsSpace: true) != "offset"
    }
    return "\(request.path)?" + (others + ["offset=\(offset)"]).joined(separator: "&")
  }

  // MARK: One feature

  func getItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> HTTPResponse {
    let fields = try Fields(query: request.query, allowed: ["f"])
    let type = try request.negotiate([.geoJSON, .json], format: try fields.string("f"))
    let snapshot = try snapshot(id)
    guard let featureID = try? FeatureID(bareText: feature.utf8),
      let place = snapshot.index.place(of: featureID)
    else { throw Problem.notFound("the collection has no such feature") }
    var json = JSONWriter()
    json.feature(snapshot.index.record(at: place))
    var response = HTTPResponse(json, type: type, etag: entityTag(snapshot, request, type))
    // OGC API Features wants links of a feature that is read by itself; in the header they leave the
    // feature as it was sent.
    let path = "/collections/\(id)"
    let own = "\(path)/items/\(PercentCoding.encode(feature))"
    response.headers.append(("Link", "<\(own)>; rel=\"self\", <\(path)>; rel=\"collection\""))
    return response
  }

  func putItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    _ = try Fields(query: request.query, allowed: [])
    let type = try request.negotiate([.geoJSON, .json], format: nil)
    try request.checkBodyType([.geoJSON, .json])
    let featureID: FeatureID
    do {
      featureID = try FeatureID(bareText: feature.utf8)
    } catch {
      throw Problem(400, field: "featureId", inBody: false, error.reason)
    }
    return .write { writer in
      var batch = try API.singleFeature(request, id: featureID)
      let result = try writer.upsert(&batch, into: id)
      var json = JSONWriter()
      batch.withRecord(at: 0) { json.feature($0) }
      var response = HTTPResponse(json, status: result.inserted > 0 ? 201 : 200, type: type)
      if result.inserted > 0 { response.headers.append(("Location", request.path)) }
      return response
    }
  }

  /// The one feature of a body, under the id of its path.
  private static func singleFeature(
    _ request: HTTPRequest, id: FeatureID
  ) throws -> FeatureBatch {
    var parsed = ParsedFeatures()
    try request.read(.geoJSON, idProperty: nil, into: &parsed)
    guard parsed.isSingleFeature else {
      throw Problem(
        422, "the body is not one Feature",
        items: [.init(pointer: "/type", detail: "a single Feature is expected")])
    }
    if let problem = parsed.problems.first {
      throw Problem(422, problem.detail, items: [.init(pointer: "", detail: problem.detail)])
    }
    var batch = FeatureBatch()
    try parsed.batch.withRecord(at: 0) { record in
      if !record.needsID, record.id != id {
        throw Problem(422, field: "id", inBody: true, "the body's id is not that of the path")
      }
      batch.append(
        id: record.needsID ? id : record.id, coordinate: record.coordinate,
        further: record.furtherOrdinates, properties: record.properties)
    }
    return batch
  }

  func deleteItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    _ = try Fields(query: request.query, allowed: [])
    guard let featureID = try? FeatureID(bareText: feature.utf8) else {
      throw Problem.notFound("the collection has no such feature")
    }
    return .write { writer in
      guard try writer.delete(featureID, from: id) else {
        throw Problem.notFound("the collection has no such feature")
      }
      return HTTPResponse(status: 204)
    }
  }
}

extension HTTPRequest {
  /// Reads the features of the body.
  func read(
    _ format: FeatureFormat, idProperty: String?, into parsed: inout ParsedFeatures
  ) throws {
    var reader = FeatureReader(format: format, idProperty: idProperty)
    try body.withUnsafeBytes { try reader.read($0, into: &parsed) }
    try reader.finish(into: &parsed)
  }
}
