import ClusterCore
import FeatureStore
import GeoFormats
import Threading
import HTTPServer

/// The HTTP API: a function from requests to responses, on any thread.
///
/// Reads are answered where they arrive, from a snapshot. Writes are read where they arrive, handed to
/// the one writer, and answered when they are on disk and visible. What may take long is done on threads of
/// its own.
public final class API: Sendable {
  let catalog: Catalog
  let writer: CollectionWriter
  let metrics: Metrics
  private let report: @Sendable (String) -> Void
  private let workers = WorkQueue()
  let hub: ChangeHub
  private let parsers = Locked<[ParserBox]>([])
  /// The store's id as a part of entity tags.
  private let storeName: String

  /// Parsers are lent to one request at a time; see ``withParser(_:)``.
  private struct ParserBox: @unchecked Sendable { let parser: JSONParser }

  /// An API over a catalogue and its writer. `report` takes what the log should say of errors that
  /// clients aren't told.
  public init(
    catalog: Catalog, writer: CollectionWriter, metrics: Metrics,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.catalog = catalog
    self.writer = writer
    self.metrics = metrics
    self.report = report
    hub = ChangeHub(catalog: catalog, report: report)
    storeName = String(writer.storeID, radix: 36)
  }

  /// Answers a request; `reply` is called exactly once, here or on another thread.
  public func handle(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
    let report = self.report
    let finish: @Sendable (Result<HTTPResponse, any Error>) -> Void = { result in
      var response: HTTPResponse
      switch result {
      case .success(let success): response = success
      case .failure(let error):
        let inBody = [.post, .put, .patch].contains(request.method)
        response = Problem.from(error, bodyFields: inBody, report: report).response
      }
      CrossOrigin.open(&response, for: request)
      reply(response)
    }
    do {
      let route = try Route(path: request.path)
      switch try outcome(route, request) {
      case .now(let response): finish(.success(response))
      case .later(let work):
        let accepted = workers.enqueue { finish(Result { try work() }) }
        if !accepted { throw Problem.unavailable("too many long requests are waiting") }
      case .write(let write): try enqueue(write, try share(of: write.bytes), finish)
      case .longWrite(let read):
        let share = try share(of: request.body.count)
        let accepted = workers.enqueue {
          do {
            let write = try read()
            guard share.resize(to: write.bytes) else { throw API.tooManyWrites }
            try self.enqueue(write, share, finish)
          } catch { finish(.failure(error)) }
        }
        if !accepted { throw Problem.unavailable("too many long requests are waiting") }
      case .deferred(let begin): try begin(finish)
      }
    } catch {
      finish(.failure(error))
    }
  }

  private static let tooManyWrites = Problem.unavailable("too many writes are waiting")
  static let stopping = Problem.unavailable("the service is stopping")

  /// Memory for a write.
  private func share(of bytes: Int) throws(Problem) -> WriteMemory.Share {
    guard let share = writer.memory.share(of: bytes) else { throw API.tooManyWrites }
    return share
  }

  private func enqueue(
    _ write: Write, _ share: WriteMemory.Share, _ finish: @escaping CollectionWriter.Answer
  ) throws {
    let workers = self.workers
    let accepted = writer.enqueue(write, share) { result in
      // To compress a long answer must not keep the next writes waiting.
      let isLong = (try? result.get().body.count > API.longAnswer) ?? false
      if !isLong || !workers.enqueue({ finish(result) }) { finish(result) }
    }
    if !accepted { throw API.stopping }
  }

  /// The longest answer that the writer sends itself, in bytes.
  private static let longAnswer = 16 << 10

  /// The answer to what never became a request: broken HTTP, or over a limit.
  public static func protocolError(status: Int, info: ProtocolErrorInfo) -> HTTPResponse {
    var response = Problem(status, info.reason).response
    response.headers.append((name: "Access-Control-Allow-Origin", value: "*"))
    return response
  }

  /// What becomes of a request.
  enum Outcome {
    /// The answer.
    case now(HTTPResponse)
    /// Work that may take long, away from the event loops.
    case later(@Sendable () throws -> HTTPResponse)
    /// Work for the writer, which makes the answer.
    case write(Write)
    /// A write that may take long to read, away from the event loops.
    case longWrite(@Sendable () throws -> Write)
    /// Others make the answer when they can.
    case deferred(
      @Sendable (@escaping @Sendable (Result<HTTPResponse, any Error>) -> Void) throws -> Void)

    /// A write that is read from a body here and now, or, if it is long, away from the event loops.
    static func write(
      of body: RequestBody, _ read: @escaping @Sendable (_ isSmall: Bool) throws -> Write
    ) throws -> Outcome {
      body.count > Write.smallBody ? .longWrite { try read(false) } : .write(try read(true))
    }
  }

  private func outcome(_ route: Route, _ request: HTTPRequest) throws -> Outcome {
    if request.method == .options {
      return .now(HTTPResponse(status: 204, headers: [("Allow", Allowed.text(route.methods))]))
    }
    guard route.allows(request.method) else {
      throw Problem.methodNotAllowed(route.methods)
    }
    if let answer = try serviceAnswer(route, request) { return .now(answer) }
    guard catalog.isLoaded else {
      throw Problem.unavailable("the collections are being loaded")
    }
    return try collectionOutcome(route, request)
  }

  private func collectionOutcome(_ route: Route, _ request: HTTPRequest) throws -> Outcome {
    let reads = request.method == .get || request.method == .head
    switch route {
    case .collections: return .now(try listCollections(request))
    case .collection(let id):
      if reads { return .now(try getCollection(id, request)) }
      return request.method == .put
        ? try putCollection(id, request) : try deleteCollection(id, request)
    case .items(let id):
      if reads { return try listItems(id, request) }
      return request.method == .post ? try postItems(id, request) : try deleteItems(id, request)
    case .item(let id, let feature):
      if reads { return .now(try getItem(id, feature, request)) }
      switch request.method {
      case .put: return try putItem(id, feature, request)
      case .patch: return try patchItem(id, feature, request)
      default: return try deleteItem(id, feature, request)
      }
    case .locate(let id, let feature): return try locate(id, feature, request)
    case .clusters(let id): return try clusters(id, request)
    case .annotation(let id, let annotation):
      return try getAnnotation(id, annotation, request)
    case .annotationItems(let id, let annotation):
      return try annotationItems(id, annotation, request)
    case .annotationChildren(let id, let annotation):
      return try annotationChildren(id, annotation, request)
    case .pins(let id): return try pins(id, request)
    case .changes(let id): return try changes(id, request)
    case .service, .landing, .openAPI, .conformance, .live, .ready, .metrics:
      throw Problem.notFound("nothing is at this path")
    }
  }

  // MARK: Shared by the resources

  /// The collection with an id as it is now; 404 if there is none.
  func snapshot(_ id: String) throws(Problem) -> CollectionSnapshot {
    guard let snapshot = catalog[id] else { throw .notFound("there is no such collection") }
    return snapshot
  }

  /// Lends a JSON parser; parsers keep their memory, so they are used again.
  func withParser<R>(_ body: (JSONParser) throws -> R) rethrows -> R {
    let box = parsers.withLock { $0.popLast() } ?? ParserBox(parser: JSONParser())
    defer {
      parsers.withLock { if $0.count < 64 { $0.append(box) } }
    }
    return try body(box.parser)
  }

  /// The tag of an answer that is a function of a collection's version, the request and a media type.
  func entityTag(_ snapshot: CollectionSnapshot, _ request: HTTPRequest, _ type: MediaType)
    -> String
  {
    EntityTag.text(
      of: storeName, version: snapshot.info.version,
      EntityTag.hash(of: request, as: type.rawValue))
  }
}

/// CORS: everything is open to every origin, as there are no credentials.
enum CrossOrigin {
  private static let origin = (name: "Access-Control-Allow-Origin", value: "*")
  private static let exposed = (
    name: "Access-Control-Expose-Headers", value: "ETag, Location, Retry-After"
  )

  /// The fields of an answer of some type, with those that open it: kept, for nearly all answers have
  /// them.
  static func fields(of type: MediaType) -> [(name: String, value: String)] {
    switch type {
    case .json: jsonFields
    case .geoJSON: geoJSONFields
    default: [("Content-Type", type.rawValue), origin, exposed]
    }
  }

  private static let jsonFields: [(name: String, value: String)] =
    [(name: "Content-Type", value: MediaType.json.rawValue), origin, exposed]
  private static let geoJSONFields: [(name: String, value: String)] =
    [(name: "Content-Type", value: MediaType.geoJSON.rawValue), origin, exposed]

  /// Adds the fields that open an answer, if it has none yet.
  static func open(_ response: inout HTTPResponse, for request: HTTPRequest) {
    guard request.method == .options else {
      if !response.headers.contains(where: { $0.name == origin.name }) {
        response.headers += [origin, exposed]
      }
      return
    }
    response.headers.append(origin)
    guard request.headers["access-control-request-method"] != nil else { return }
    let allowed = response.header("Allow") ?? "GET, HEAD, OPTIONS"
    response.headers += [
      ("Access-Control-Allow-Methods", allowed),
      (
        "Access-Control-Allow-Headers",
        "Accept, Content-Type, If-None-Match, If-Match, Last-Event-ID"
      ),
      ("Access-Control-Max-Age", "86400"),
    ]
  }
}
