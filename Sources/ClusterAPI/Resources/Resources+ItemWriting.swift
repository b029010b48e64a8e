import ClusterCore
import FeatureStore
import GeoFormats
import HTTPServer

/// Writes of one feature.
extension Resources {
  /// What a patch does to a feature's expiry.
  private enum PatchedExpiry {
    /// Nothing, but the collection's time to live may give a later one.
    case untouched
    /// The feature never expires.
    case removed
    case replaced

    init(_ patch: JSONValue) {
      self = patch["expires"].map { $0.kind == .null ? .removed : .replaced } ?? .untouched
    }
  }

  func putItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(id, feature, request, bodies: [.geoJSON, .json])
    let conditions = Preconditions(request)
    let path = request.path
    return try .write(of: request.body) { isSmall in
      let batch = try request.body.withUnsafeBytes { try Resources.readFeature($0, id: featureID) }
      return Write(bytes: batch.byteCount, isSmall: isSmall) { group in
        try group.check(conditions, on: featureID, of: id)
        var stored = batch
        let result = try group.upsert(&stored, into: id)
        var response = Resources.stored(stored, status: result.inserted > 0 ? 201 : 200, type)
        if result.inserted > 0 { response.headers.append(("Location", path)) }
        return response
      }
    }
  }

  /// Merges a patch (RFC 7396) into the feature as GeoJSON.
  func patchItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    let (featureID, type) = try itemToWrite(
      id, feature, request, bodies: [.mergePatch, .geoJSON, .json])
    let conditions = Preconditions(request)
    let body = request.body
    return try .write(of: body) { isSmall in
      let expiry = try self.parsers.withParser { parser in
        try body.withUnsafeBytes { PatchedExpiry(try parser.parse($0)) }
      }
      return Write(bytes: body.count, isSmall: isSmall) { group in
        try group.check(conditions, on: featureID, of: id)
        var json = JSONWriter()
        var expires: Int64?
        let found: Void? = group.withRecord(of: featureID, in: id) {
          json.feature($0)
          expires = $0.expires
        }
        guard found != nil else { throw Problem.noFeature }
        let merged = try body.withUnsafeBytes { try MergePatch.apply($0, to: json.bytes) }
        var batch = try merged.withUnsafeBytes { try Resources.readFeature($0, id: featureID) }
        if expiry == .removed {
          batch.setExpiry(nil, neverExpires: true)
        } else if expiry == .untouched, let renewed = group.defaultExpiry(of: id) {
          // A patch without an expiry never brings it forward.
          batch.setExpiry(expires.map { max($0, renewed) }, neverExpires: expires == nil)
        }
        _ = try group.upsert(&batch, into: id)
        return Resources.stored(batch, status: 200, type)
      }
    }
  }

  func deleteItem(_ id: String, _ feature: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    _ = try Fields(query: request.query, allowed: [])
    guard let featureID = try? FeatureID(bareText: feature.utf8) else { throw Problem.noFeature }
    let conditions = Preconditions(request)
    return .write(
      Write(bytes: 0, isSmall: true) { group in
        try group.check(conditions, on: featureID, of: id)
        guard try group.delete([featureID], from: id) else { throw Problem.noFeature }
        return HTTPResponse(status: 204)
      })
  }

  /// What PUT and PATCH have in common: the feature's id, and the type of the answer.
  private func itemToWrite(
    _ id: String, _ feature: String, _ request: HTTPRequest, bodies: [MediaType]
  ) throws -> (FeatureID, MediaType) {
    try checkCollectionID(id)
    let type = try request.answerType([.geoJSON, .json], hasFormat: false)
    try request.checkBodyType(bodies)
    do {
      return (try FeatureID(bareText: feature.utf8), type)
    } catch {
      throw Problem(400, field: "featureId", inBody: false, error.reason)
    }
  }

  /// Reads the one feature of a body, under the id of its path.
  private static func readFeature(
    _ bytes: UnsafeRawBufferPointer, id: FeatureID
  ) throws -> FeatureBatch {
    let parsed = try ParsedFeatures(bytes)
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
        further: record.furtherOrdinates, properties: record.properties, expires: record.expires,
        neverExpires: record.neverExpires)
    }
    return batch
  }

  /// The answer that shows what was stored, with the entity tag that a GET of it has.
  private static func stored(
    _ batch: FeatureBatch, status: Int, _ type: MediaType
  ) -> HTTPResponse {
    var json = JSONWriter()
    batch.withRecord(at: 0) { json.feature($0) }
    let tag = EntityTag.hash(of: json.bytes)
    return HTTPResponse(json, status: status, type: type, etag: tag)
  }
}

extension WriteGroup {
  /// Refuses a write whose conditions the feature doesn't meet as it is.
  fileprivate func check(
    _ conditions: Preconditions, on feature: FeatureID, of id: String
  ) throws(Problem) {
    guard !conditions.isEmpty else { return }
    let tag = withRecord(of: feature, in: id) { record in
      var json = JSONWriter()
      json.feature(record)
      return EntityTag.hash(of: json.bytes)
    }
    guard conditions.isMet(by: tag) else {
      throw Problem(
        412,
        tag == nil
          ? "there is no such feature any more"
          : "the feature doesn't meet the condition as it is now; read it again")
    }
  }
}
