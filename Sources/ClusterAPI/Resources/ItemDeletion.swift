import ClusterCore
import GeoFormats
import HTTPServer

extension API {
  /// Deletes the features in a bbox that pass a filter, in one transaction.
  func deleteItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    let fields = try Fields(query: request.query, allowed: ["bbox", "filter"])
    _ = try request.negotiate([.json], format: nil)
    let filter = try fields.filter()
    let region = try fields.region()
    guard filter != nil || region != nil else {
      throw fields.problem(
        "bbox",
        "bbox or filter says which features to delete; DELETE /collections/\(id) drops all of them")
    }
    _ = try snapshot(id)
    return .write { writer in
      guard let snapshot = writer.current(id) else {
        throw Problem.notFound("there is no such collection")
      }
      let index = snapshot.index
      let scope = FeatureScope(
        index, passing: filter.map { API.filter($0, of: index) }, near: region)
      let places = scope.places(in: region, offset: 0, limit: .max)
      try writer.delete(places, from: snapshot)
      var json = JSONWriter()
      json.beginObject()
      json.member("deleted", places.count)
      json.endObject()
      return HTTPResponse(json)
    }
  }
}

extension Fields {
  /// The bbox of a list of features, if there is one.
  func region() throws -> DegreesRegion? {
    guard let values = try numbers("bbox") else { return nil }
    let bbox = try bboxValues(values, sixAllowed: true)
    return try DegreesRegion(
      west: bbox.west, south: bbox.south, east: bbox.east, north: bbox.north)
  }
}
