import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

extension Resources {
  // MARK: Lists

  func listItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    let fields = try Fields(query: request.query, allowed: ["bbox", "filter", "f"] + Paging.names)
    let type = try request.negotiate([.geoJSON, .json], format: try fields.string("f"))
    let paging = try Paging(fields)
    let filter = try fields.filter()
    let region = try fields.region()
    let snapshot = try snapshot(id)
    let etag = entityTag(snapshot, request, type)
    if request.matches(etag: etag) { return .now(HTTPResponse(status: 304, etag: etag)) }
    let collection = snapshot.collection
    return try .response(isLong: Effort.isLong(over: collection, filter: filter)) {
      let scope = FeatureScope(
        collection, passing: filter.map { collection.filter($0) }, near: region)
      return Resources.featureCollection(
        scope.ordinals(in: region, offset: paging.offset, limit: paging.limit),
        of: collection.index, matched: scope.count(in: region), paging: paging, request: request,
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
      let place = snapshot.index.ordinal(of: featureID)
    else { throw Problem.notFound("the collection has no such feature") }
    var json = JSONWriter()
    json.feature(snapshot.index.record(at: place))
    // Its tag is of its own bytes, so that other features' writes leave it.
    var response = HTTPResponse(json, type: type)
    // OGC API Features wants links of a feature that is read by itself; in the header they leave the
    // feature as it was sent.
    let path = "/collections/\(id)"
    let own = "\(path)/items/\(PercentCoding.encode(feature))"
    response.headers.append(("Link", "<\(own)>; rel=\"self\", <\(path)>; rel=\"collection\""))
    return response
  }
}

extension HTTPRequest {
  /// The features of the body.
  func features(_ format: FeatureFormat, idProperty: String?) throws -> ParsedFeatures {
    var parsed = ParsedFeatures()
    var reader = FeatureReader(format: format, idProperty: idProperty)
    try body.withUnsafeBytes { try reader.read($0, into: &parsed) }
    try reader.finish(into: &parsed)
    return parsed
  }
}
