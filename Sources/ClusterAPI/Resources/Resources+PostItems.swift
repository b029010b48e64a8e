import ClusterCore
import Collections
import FeatureStore
import GeoFormats
import HTTPServer
import Texts

extension Resources {
  /// The handling of the good features of a body that has bad ones.
  private enum OnError: String, CaseIterable {
    case abort, skip
  }

  /// The most features of a body that is answered with their ids.
  private static let maximumListedIDs = 1000

  func postItems(_ id: String, _ request: HTTPRequest) throws -> Outcome {
    try checkCollectionID(id)
    let fields = try Fields(
      query: request.query, allowed: ["onError", "idProperty"] + TableOptions.names)
    let onError = try fields.choice("onError", OnError.self) ?? .abort
    let idProperty = try fields.string("idProperty")
    try request.checkBodyType(PostedFeatures.types)
    let type = request.bodyType(of: PostedFeatures.types)
    let field = request.headers["content-type"] ?? ""
    let table = try TableOptions(fields, request, assumesEncoding: onError == .skip)
    try request.checkReferenceSystem()
    let maximumLength = writer.limits.featureBytes
    let conditions = conditions(request, Resources.itemTypes, hasQuery: false)
    guard conditions == nil || !catalog.isFiltered else {
      // The tag of what such a key sees may take a look at all features.
      throw Problem(
        400, "If-Match and If-None-Match of many features are not for a key with a filter")
    }
    let items = "\(base(of: request))/collections/\(id)/items/"
    return try .write(of: request.body) { [catalog] share in
      let (parsed, format) = try request.body.withUnsafeBytes { body in
        let posted = try PostedFeatures(in: body, of: type, field)
        var table = table
        if posted.format == .csv { try table.take(charset: posted.charset) }
        let parsed = try ParsedFeatures(
          posted.bytes, posted.format, idProperty: idProperty, table: table,
          maximumLength: maximumLength,
          room: share?.room ?? Write.smallRoom)
        return (parsed, posted.format)
      }
      if onError == .abort && parsed.rejected > 0 { throw Resources.problem(with: parsed) }
      let total = parsed.batch.count + parsed.rejected
      var write = Write(
        by: catalog, in: id, bytes: parsed.batch.memory,
        isSmall: share == nil && conditions == nil,
        .store(
          .init(
            parsed.batch, leavesOutForbidden: onError == .skip,
            tellsIDs: total <= Resources.maximumListedIDs)))
      write.conditions = conditions
      // The outcome has all that the answer needs of the features.
      var rest = parsed
      rest.batch = FeatureBatch()
      var request = WriteRequest(write: write) { [rest] result in
        Resources.summary(result, rest, total: total, items, format)
      }
      request.problem = { [rest] error in
        guard case CollectionsError.forbiddenFeatures(let numbers) = error else { return nil }
        return Resources.problem(
          withForbidden: Resources.pointers(of: numbers, in: rest, format))
      }
      return request
    }
  }

  private static func problem(with parsed: ParsedFeatures) -> Problem {
    Problem(
      422,
      "\(parsed.rejected) of \((parsed.rejected + parsed.batch.count).counted("feature")) "
        + "\(parsed.rejected == 1 ? "is" : "are") bad; nothing was changed. onError=skip stores the "
        + "good ones",
      items: items(of: parsed))
  }

  /// Where features of a batch were in the body; nothing where that isn't known, as behind a bad one.
  private static func pointers(
    of numbers: [Int], in parsed: ParsedFeatures, _ format: FeatureFormat
  ) -> [String] {
    let isCollection = format == .geoJSON && !parsed.isSingleFeature && parsed.rejected == 0
    return numbers.map { isCollection ? "/features/\($0)" : "" }
  }

  private static func problem(withForbidden pointers: [String]) -> Problem {
    var problem = Problem.forbidden(
      "the key may not write \(pointers.count) of the features; nothing was changed")
    problem.items = pointers.prefix(ParsedFeatures.maximumProblems).map {
      .init(pointer: $0, detail: Problem.forbiddenFeature)
    }
    return problem
  }

  private static func items(of parsed: ParsedFeatures) -> [Problem.Item] {
    parsed.problems.map { .init(pointer: $0.pointer, detail: $0.detail) }
  }

  /// The answer to a write. If its body was one feature that is new, it tells where that is.
  ///
  /// - Parameters:
  ///   - parsed: what was said of the features, which it doesn't hold any more.
  ///   - total: the number of features in the body.
  ///   - items: the URL of the features, with a slash at its end.
  private static func summary(
    _ result: WriteOutcome.Result, _ parsed: ParsedFeatures, total: Int, _ items: String,
    _ format: FeatureFormat
  ) -> HTTPResponse {
    guard case .stored(let inserted, let updated, let leftOut, let ids) = result else {
      return HTTPResponse(status: 204)
    }
    let pointers = pointers(of: leftOut, in: parsed, format)
    var parsed = parsed
    parsed.reject(at: pointers, detail: Problem.forbiddenFeature)
    let isCreated = parsed.isSingleFeature && inserted == 1
    var response = HTTPResponse(status: isCreated ? 201 : 200) { json in
      json.member("inserted", inserted)
      json.member("updated", updated)
      json.member("rejected", parsed.rejected)
      if total <= maximumListedIDs {
        json.array("ids") { json in
          for id in ids { json.featureID(id) }
        }
      }
      if parsed.rejected > 0 { json.members([("errors", .errors(Resources.items(of: parsed)))]) }
      json.notes(parsed.notes)
    }
    if isCreated, let id = ids.first {
      response.headers.append(("Location", items + PercentCoding.encode("\(id)")))
    }
    return response
  }
}
