import ClusterCore
import FeatureStore
import GeoFormats
import Threading
import HTTPServer

extension Resources {
  /// What happens to the good features of a body that has bad ones.
  private enum OnError: String, CaseIterable {
    case abort, skip
  }

  /// Bodies up to here are answered with the ids of their features.
  private static let maximumListedIDs = 1000

  func postItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    let fields = try Fields(query: request.query, allowed: ["onError", "idProperty"])
    let onError = try fields.choice("onError", OnError.self) ?? .abort
    let idProperty = try fields.string("idProperty")
    _ = try request.negotiate([.json], format: nil)
    let format = try Resources.format(request)
    return try .write(of: request.body) { isSmall in
      let parsed = try request.features(format, idProperty: idProperty)
      if onError == .abort && parsed.rejected > 0 { throw Resources.problem(with: parsed) }
      let holder = Locked(parsed)
      return Write(bytes: parsed.batch.byteCount, isSmall: isSmall) { group in
        // What has a transaction to itself is carried out once, and may be too long to be copied.
        var stored = holder.withLock { parsed in
          defer { if !group.isShared { parsed = ParsedFeatures() } }
          return parsed
        }
        let result = try group.upsert(&stored.batch, into: id)
        return HTTPResponse(Resources.summary(result, stored))
      }
    }
  }

  private static func format(_ request: HTTPRequest) throws(Problem) -> FeatureFormat {
    switch request.bodyType {
    case nil, "application/json", "application/geo+json": .geoJSON
    case "application/geo+json-seq", "application/x-ndjson": .geoJSONSequence
    case "text/csv": .csv
    case let other?:
      throw Problem(
        415,
        "a body of type \(other.prefix(100)) is not understood here; send application/geo+json, "
          + "application/json, application/geo+json-seq, application/x-ndjson or text/csv")
    }
  }

  private static func problem(with parsed: ParsedFeatures) -> Problem {
    Problem(
      422,
      "\(parsed.rejected) of \(parsed.rejected + parsed.batch.count) features "
        + "\(parsed.rejected == 1 ? "is" : "are") bad; nothing was changed. onError=skip stores the "
        + "good ones",
      items: parsed.problems.map { .init(pointer: $0.pointer, detail: $0.detail) })
  }

  private static func summary(_ result: FeatureStore.UpsertResult, _ parsed: ParsedFeatures)
    -> JSONWriter
  {
    var json = JSONWriter()
    json.beginObject()
    json.member("inserted", result.inserted)
    json.member("updated", result.updated)
    json.member("rejected", parsed.rejected)
    if parsed.batch.count + parsed.rejected <= maximumListedIDs {
      json.key("ids")
      json.beginArray()
      for index in 0..<parsed.batch.count {
        parsed.batch.withRecord(at: index) { json.featureID($0.rawID) }
      }
      json.endArray()
    }
    if parsed.rejected > 0 {
      json.key("errors")
      json.beginArray()
      for problem in parsed.problems {
        json.beginObject()
        json.member("pointer", problem.pointer)
        json.member("detail", problem.detail)
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
    return json
  }
}
