import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Texts

/// Writes of one feature.
extension Resources {
  func putItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(id, feature, request, bodies: [.geoJSON, .json])
    let conditions = WriteConditions(request)
    let own = "\(base(of: request))/collections/\(id)/items/\(PercentCoding.encode(feature))"
    let maximumLength = writer.limits.featureBytes
    return try .write(of: request.body) { [catalog] share in
      let batch = try request.body.withUnsafeBytes {
        try SingleFeature.read($0, id: featureID, maximumLength: maximumLength)
      }
      let write = Write(
        by: catalog, in: id, bytes: batch.memory, isSmall: share == nil,
        .put(featureID, batch, on: conditions))
      return WriteRequest(write: write) { result in
        var response = Resources.response(toStoring: result, type)
        if response.status == 201 { response.headers.append(("Location", own)) }
        return response
      }
    }
  }

  func deleteItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    _ = try Fields(query: request.query, allowed: [])
    guard let featureID = try? FeatureID(bareText: feature.utf8) else { throw Problem.noFeature }
    let conditions = WriteConditions(request)
    let write = Write(by: catalog, in: id, isSmall: true, .delete(featureID, on: conditions))
    return .write(WriteRequest(write: write) { _ in HTTPResponse(status: 204) })
  }

  /// The feature's id and the type of the answer, for PUT and PATCH.
  func itemToWrite(
    _ id: String, _ feature: String, _ request: HTTPRequest, bodies: [MediaType]
  ) throws -> (FeatureID, MediaType) {
    try checkCollectionID(id)
    let type = try request.typeOfWrite([.geoJSON, .json])
    try request.checkBodyType(bodies)
    try request.checkReferenceSystem()
    let limit = writer.limits.featureBytes
    guard request.body.count <= limit else { throw Problem.featureTooLarge(limit) }
    do {
      return (try FeatureID(bareText: feature.utf8).ofNewFeature(), type)
    } catch {
      throw Problem(400, field: "featureId", inBody: false, error.reason)
    }
  }

  /// The answer that shows the feature that was stored, with the entity tag that a GET of it has.
  static func response(toStoring result: WriteOutcome.Result, _ type: MediaType) -> HTTPResponse {
    guard case .storedOne(let batch, let isNew) = result else { return HTTPResponse(status: 204) }
    var json = JSONWriter()
    // One that never expires where others do says so itself.
    batch.withRecord(at: 0) { json.feature($0, tellsNever: false) }
    let tag = EntityTag.hash(of: json.bytes)
    return HTTPResponse(json, status: isNew ? 201 : 200, type: type, etag: tag)
  }
}

extension Problem {
  /// The one feature that a request is about is too large.
  static func featureTooLarge(_ limit: Int) -> Problem {
    .tooLarge("the feature is larger than \(limit) bytes")
  }
}
