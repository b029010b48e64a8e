import ClusterCore
import FeatureStore
import GeoFormats
import Texts
import Threading
import HTTPServer

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
    let items = "\(base(of: request))/collections/\(id)/items/"
    return try .write(of: request.body) { [catalog] share in
      let (parsed, format) = try request.body.withUnsafeBytes { body in
        let posted = try PostedFeatures(in: body, of: type, field)
        let parsed = try ParsedFeatures(
          posted.bytes, posted.format, idProperty: idProperty, table: table,
          maximumLength: maximumLength,
          room: share?.room ?? Write.smallRoom)
        return (parsed, posted.format)
      }
      if onError == .abort && parsed.rejected > 0 { throw Resources.problem(with: parsed) }
      let holder = Locked(parsed)
      return Write(
        view: catalog, collection: id, bytes: parsed.batch.memory, isSmall: share == nil
      ) { group in
        // A write that has a transaction to itself runs once, and may be too large to be copied.
        var stored = holder.withLock { parsed in
          defer { if group.runsOnce { parsed = ParsedFeatures() } }
          return parsed
        }
        do {
          let result = try group.upsert(&stored.batch, into: id)
          return Resources.summary(result, stored, items)
        } catch let error as ForbiddenFeatures {
          let pointers = Resources.pointers(of: error.numbers, in: stored, format)
          guard onError == .skip else { throw Resources.problem(with: error, at: pointers) }
          stored.leaveOut(error.numbers, at: pointers, ForbiddenFeatures.detail)
          let result = try group.upsert(&stored.batch, into: id)
          return Resources.summary(result, stored, items)
        }
      }
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

  private static func problem(with error: ForbiddenFeatures, at pointers: [String]) -> Problem {
    var problem = Problem.forbidden(
      "the key may not write \(error.numbers.count) of the features; nothing was changed")
    problem.items = pointers.prefix(ParsedFeatures.maximumProblems).map {
      .init(pointer: $0, detail: ForbiddenFeatures.detail)
    }
    return problem
  }

  private static func items(of parsed: ParsedFeatures) -> [Problem.Item] {
    parsed.problems.map { .init(pointer: $0.pointer, detail: $0.detail) }
  }

  /// The answer to a write. If its body was one feature that is new, it tells where that is.
  ///
  /// - Parameter items: the URL of the features, with a slash at its end.
  private static func summary(
    _ result: UpsertResult, _ parsed: ParsedFeatures, _ items: String
  ) -> HTTPResponse {
    let isCreated = parsed.isSingleFeature && result.inserted == 1
    var response = HTTPResponse(status: isCreated ? 201 : 200) { json in
      json.member("inserted", result.inserted)
      json.member("updated", result.updated)
      json.member("rejected", parsed.rejected)
      if parsed.batch.count + parsed.rejected <= maximumListedIDs {
        json.array("ids") { json in
          for index in 0..<parsed.batch.count {
            parsed.batch.withRecord(at: index) { json.featureID($0.rawID) }
          }
        }
      }
      if parsed.rejected > 0 { json.errors(Resources.items(of: parsed)) }
      json.notes(parsed.notes)
    }
    if isCreated {
      parsed.batch.withRecord(at: 0) { record in
        let id = PercentCoding.encode("\(record.id)")
        response.headers.append(("Location", items + id))
      }
    }
    return response
  }
}

extension ParsedFeatures {
  /// Reads all features of a body.
  init(
    _ bytes: UnsafeRawBufferPointer, _ format: FeatureFormat = .geoJSON, idProperty: String? = nil,
    table: TableOptions = TableOptions(), maximumLength: Int, room: DecodingRoom = .unlimited
  ) throws {
    if format == .csv {
      try self.init(
        table: bytes, options: table, idProperty: idProperty, maximumLength: maximumLength,
        room: room)
      return
    }
    self.init(room: room)
    var reader = FeatureReader(
      format: format, idProperty: idProperty, maximumLength: maximumLength)
    try reader.read(bytes, into: &self)
    try reader.finish(into: &self)
  }
}
