import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

/// Writes of one feature.
extension Resources {
  func putItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(id, feature, request, bodies: [.geoJSON, .json])
    let conditions = Preconditions(request)
    let own = "\(base(of: request))/collections/\(id)/items/\(PercentCoding.encode(feature))"
    let maximumLength = writer.limits.featureBytes
    return try .write(of: request.body) { [catalog] share in
      let batch = try request.body.withUnsafeBytes {
        try Resources.readFeature($0, id: featureID, maximumLength: maximumLength)
      }
      return Write(view: catalog, collection: id, bytes: batch.memory, isSmall: share == nil) {
        group in
        try group.check(conditions, on: featureID, of: id)
        var stored = batch
        let result = try group.upsert(&stored, into: id)
        var response = Resources.stored(stored, status: result.inserted > 0 ? 201 : 200, type)
        if result.inserted > 0 { response.headers.append(("Location", own)) }
        return response
      }
    }
  }

  func deleteItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    _ = try Fields(query: request.query, allowed: [])
    guard let featureID = try? FeatureID(bareText: feature.utf8) else { throw Problem.noFeature }
    let conditions = Preconditions(request)
    return .write(
      Write(view: catalog, collection: id, bytes: 0, isSmall: true, makesRoom: true) { group in
        try group.check(conditions, on: featureID, of: id)
        guard try group.delete([featureID], from: id) else { throw Problem.noFeature }
        return HTTPResponse(status: 204)
      })
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
      return (try FeatureID(bareText: feature.utf8), type)
    } catch {
      throw Problem(400, field: "featureId", inBody: false, error.reason)
    }
  }

  /// Reads the one feature of a body, under the id of its path.
  static func readFeature(
    _ bytes: UnsafeRawBufferPointer, id: FeatureID, maximumLength: Int
  ) throws -> FeatureBatch {
    let parsed = try ParsedFeatures(bytes, maximumLength: maximumLength)
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
      batch.append(record, as: record.needsID ? id : nil)
    }
    return batch
  }

  /// The answer with the stored feature, and the entity tag that a GET of it has.
  static func stored(
    _ batch: FeatureBatch, status: Int, _ type: MediaType
  ) -> HTTPResponse {
    var json = JSONWriter()
    batch.withRecord(at: 0) { json.feature($0) }
    let tag = EntityTag.hash(of: json.bytes)
    return HTTPResponse(json, status: status, type: type, etag: tag)
  }
}

extension Preconditions {
  /// Refuses a write whose conditions a feature doesn't meet as it is now; nil if there is none.
  func check(_ record: FeatureRecord?) throws(Problem) {
    guard !isEmpty else { return }
    let tag = record.map { record in
      var json = JSONWriter()
      json.feature(record)
      return EntityTag.hash(of: json.bytes)
    }
    guard isMet(by: tag) else {
      throw Problem(
        412,
        tag == nil
          ? "there is no such feature any more"
          : "the feature doesn't meet the condition as it is now; read it again")
    }
  }
}

extension WriteGroup {
  /// Refuses a write whose conditions the feature doesn't meet as it is.
  fileprivate func check(
    _ conditions: Preconditions, on feature: FeatureID, of id: String
  ) throws {
    guard !conditions.isEmpty else { return }
    let found: Void? = try withRecord(of: feature, in: id) { try conditions.check($0) }
    if found == nil { try conditions.check(nil) }
  }
}

extension Problem {
  /// The one feature that a request is about is too large.
  static func featureTooLarge(_ limit: Int) -> Problem {
    .tooLarge("the feature is larger than \(limit) bytes")
  }
}
