import AccessControl
import Collections
import HTTPServer
import Threading

/// The HTTP API: a function from requests to responses, which can be called on any thread.
///
/// Reads are answered on the calling thread, from a snapshot. Writes are read there, handed to the only
/// writer, and answered when they are on disk and visible. Work that may take long has threads of its own, and
/// is not begun once its client has gone.
public final class API: Sendable {
  let resources: Resources
  let readWork: WorkQueue
  private let writeWork = WorkQueue(turns: max(1, Processors.count / 2))
  private let requestTimeout: Int
  /// How long a read waits for a version, in nanoseconds.
  let longestWait: UInt
  private let address: ServiceAddress
  let origins: OriginPolicy
  /// Nil if everybody may do everything.
  let access: AccessControl?
  let tenants: Tenants
  let mostOnLoop: UInt
  let times: ReadTimes
  /// After so many microseconds the shape of a request is noted.
  let slowRequest: Int

  /// The default of the processor time that an event loop spends on one answer before it gives up, in nanoseconds.
  public static let defaultMostOnLoop: UInt = 2_000_000
  /// The default of the time that a request's work may take with its waiting, in seconds.
  public static let defaultRequestTimeout = 10
  /// The default of the time that a read waits for a version, in seconds.
  public static let defaultMaxWait = 2

  /// An API over a catalogue and its writer.
  ///
  /// - Parameters:
  ///   - requestTimeout: the time that a request's work may take with its waiting, in seconds. Writes have no limit.
  ///   - maxWait: the time that a read waits until its collection has come to the version that it asks for, in seconds.
  ///   - mostOnLoop: the processor time after which a read is given up where it came in, in nanoseconds, to be begun
  ///     again on another thread; 0 for never.
  ///   - slowRequest: the time after which a request is slow, in microseconds.
  ///   - address: the service's address for clients, and theirs.
  ///   - origins: the policy for browsers' requests on behalf of web sites.
  ///   - access: the access control; nil if everybody may do everything.
  ///   - map: the parts of the map page beside features.
  ///   - report: is called with errors that clients don't see.
  package init(
    catalog: Catalog, writer: CollectionWriter, metrics: Metrics,
    requestTimeout: Int = defaultRequestTimeout, maxWait: Double = Double(defaultMaxWait),
    mostOnLoop: UInt = defaultMostOnLoop,
    slowRequest: Int = .max, address: ServiceAddress = .ofRequests, origins: OriginPolicy = .usual,
    access: AccessControl? = nil, map: MapSettings = MapSettings(),
    report: @escaping @Sendable (String) -> Void
  ) {
    (self.requestTimeout, self.mostOnLoop) = (requestTimeout, mostOnLoop)
    times = ReadTimes(mostOnLoop: mostOnLoop)
    longestWait = UInt(max(maxWait, 0) * 1e9)
    self.slowRequest = slowRequest
    (self.address, self.origins) = (address, origins)
    self.access = access.flatMap { $0.isOn ? $0 : nil }
    tenants = Tenants(catalog)
    metrics.begin(routes: Route.labels, unknown: Route.unknown, tenants)
    // Large writes, which are read by others, and the writer take as long as they take.
    readWork = WorkQueue(
      turns: Processors.count, patience: 2 * UInt(max(requestTimeout, 1)) * 1_000_000_000
    ) { lane in report(lane.ifStuck) }
    resources = Resources(
      catalog: catalog, writer: writer, metrics: metrics, work: readWork, address: address,
      map: map, requestTimeout: requestTimeout, report: report)
  }

  /// Answers a request. `reply` is called exactly once, here or on another thread.
  public func handle(
    _ request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    guard address.trustsProxy else { return handle(from: request, reply: reply) }
    var request = request
    request.client = address.client(of: request)
    handle(from: request, reply: reply)
  }

  /// Answers a request whose client is known.
  private func handle(
    from request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    let reply = resources.writer.link.flatMap { VersionField.tellingAge(of: $0, reply) } ?? reply
    let pipeline = ResponsePipeline(request, by: self, reply)
    let finish: Reply = { pipeline.finish($0) }
    do {
      if let list = request.headers.longList {
        let detail = "\(list) has more than \(HTTPHeaders.mostMembers) members"
        throw Problem(431, detail, refusal: .headSize)
      }
      try origins.check(request, address, writes: Route.writes)
      if request.body.count > ParserPool.maximumBody {
        // Other methods have no use for a body, and would keep it until they are answered.
        guard [.post, .put, .patch].contains(request.method) else { throw ParserPool.tooLarge }
      }
      guard let access else { return try begin(request, from: resources, finish) }
      try authorise(request, by: access, finish)
    } catch {
      finish(.failure(error))
    }
  }

  /// Begins with a request whose client has the view of `resources`.
  ///
  /// - Parameters:
  ///   - match: what the path names; nil if that is to be found.
  ///   - isHere: whether this is the thread where the request came in.
  func begin(
    _ request: HTTPRequest, at match: Route.Match? = nil, from resources: Resources,
    isHere: Bool = true, _ finish: @escaping Reply
  ) throws {
    if isHere, API.isLong(request) {
      return beginLater(request, at: match, from: resources, finish)
    }
    if try API.isPacked(request) {
      return try unpack(request, at: match, from: resources, isHere: isHere, finish)
    }
    try answer(request, at: match, from: resources, isHere: isHere, finish)
  }

  /// Answers a request whose body is as it was sent, or decoded.
  func answer(
    _ request: HTTPRequest, at match: Route.Match?, from resources: Resources, isHere: Bool,
    _ finish: @escaping Reply
  ) throws {
    guard isHere else {
      let outcome = try Route.outcome(of: request, at: match, from: resources)
      // Cancelled work begins again, or is answered with the reason.
      return Cancellation.isOver ? () : try carryOut(outcome, request, finish, isHere: false)
    }
    let outcome = try Cancellation.run(atMost: mostOnLoop) {
      try Route.outcome(of: request, at: match, from: resources)
    }
    if let outcome { return try carryOut(outcome, request, finish) }
    enqueue(.quick, request, finish) {
      try self.answer(request, at: match, from: resources, isHere: false, finish)
    }
  }

  /// Begins with a request on another thread, when its client has a turn there.
  func beginLater(
    _ request: HTTPRequest, at match: Route.Match? = nil, from resources: Resources,
    _ finish: @escaping Reply
  ) {
    // A tenant's view may have to be made first.
    enqueue(resources.catalog.isFiltered ? .long : .quick, request, finish) {
      try self.begin(request, at: match, from: resources, isHere: false, finish)
    }
  }

  /// Whether to read a request may take longer than the tenth of a millisecond that an event loop has for it. Nothing of
  /// it has been looked at before but its head, of which no field takes long; see ``HTTPHeaders/longList``.
  static func isLong(_ request: HTTPRequest) -> Bool {
    if request.path.utf8.count + (request.query?.utf8.count ?? 0) > longTarget { return true }
    return request.body.count > longBody || isLongTable(request) || mayHaveEncoding(request)
  }

  /// Whether a body may be a table whose head takes long to understand.
  private static func isLongTable(_ request: HTTPRequest) -> Bool {
    request.body.count > longTable
      && request.bodyType(of: [.csv, .tsv, .excel, .octets, .form]) != nil
  }

  /// Whether a body may be a table in an encoding whose tables have to be loaded first.
  private static func mayHaveEncoding(_ request: HTTPRequest) -> Bool {
    guard request.body.count > 0, request.bodyType(of: [.csv, .tsv]) != nil,
      let type = request.headers["content-type"]
    else { return false }
    return request.query != nil || type.utf8.count > MediaType.csv.rawValue.utf8.count
      || request.body.withUnsafeBytes { $0.first.map { $0 >= 0xFE } ?? false }
  }

  /// The longest path and query, and the longest body, that an event loop reads, in bytes, also of a table.
  static let (longTarget, longBody, longTable) = (2 << 10, 4 << 10, 512)

  /// Answers a request in the way that was found for it.
  ///
  /// - Parameter isHere: whether short work may be done on this thread, which is that where the request came in.
  func carryOut(
    _ outcome: Outcome, _ request: HTTPRequest, _ finish: @escaping Reply, isHere: Bool = true
  ) throws {
    switch outcome {
    case .now(let response): send(response, request, finish)
    case .read(let kind, let make): try read(kind, request, isHere: isHere, finish, make)
    case .later(let lane, let work): run(lane, request, finish, work)
    case .write(let asked):
      try enqueue(asked, try share(of: asked.write.bytes, for: request), request, finish)
    case .longWrite(let read):
      let share = try share(of: request.body.count, for: request)
      enqueue(.write, request, finish) {
        do {
          let asked = try read(share)
          if Cancellation.isOver { return }
          guard share.resize(to: asked.write.bytes) else { throw Problem.tooManyWrites }
          try self.enqueue(asked, share, request, finish)
        } catch {
          share.giveBack()
          throw error
        }
      }
    case .soughtWrite(let find): seek(find, request, finish)
    case .deferred(let begin): try begin(finish)
    }
  }

  /// Finds the features of a write, as a read would, and has it carried out.
  private func seek(
    _ find: @escaping @Sendable () throws -> WriteRequest, _ request: HTTPRequest,
    _ finish: @escaping Reply
  ) {
    enqueue(.long, request, mayTakeLong: false, finish) {
      let asked = try find()
      if Cancellation.isOver { return }
      try self.enqueue(asked, try self.share(of: asked.write.bytes, for: request), request, finish)
    }
  }

  /// Ends all streams of changes. To be called last, when no request can come any more.
  public func close() { resources.hub.close() }

  /// Answers a read: at once if the last of its kind was short enough, else away from the event loops. One that takes longer
  /// is given up here before anything of it was sent, and begun again elsewhere.
  private func read(
    _ kind: ReadKind, _ request: HTTPRequest, isHere: Bool, _ finish: @escaping Reply,
    _ make: @escaping @Sendable () throws -> HTTPResponse
  ) throws {
    let (times, client) = (self.times, request.client)
    var lane = lane(of: kind, request)
    if isHere, lane == nil {
      let (result, used) = Cancellation.measure(atMost: mostOnLoop) { Result { try make() } }
      // Work that others keep waiting is given up before that time.
      times.note(
        result == nil ? max(used, mostOnLoop) : used, of: kind, by: client, isDone: result != nil)
      if let result { return send(try result.get(), request, finish) }
      lane = self.lane(of: kind, request)
    }
    run(
      lane ?? .quick, request, noteTime: { times.note($0, of: kind, by: client, isDone: $1) },
      finish, make)
  }

  /// The queue for a read; nil if it may be answered where it came in.
  private func lane(of kind: ReadKind, _ request: HTTPRequest) -> WorkQueue.Lane? {
    let time = times.time(of: kind)
    if time > 0 { request.note { $0.estimate = Double(time) } }
    return times.lane(for: kind, of: request.client)
  }

  /// Sends a response that is there.
  private func send(_ response: HTTPResponse, _ request: HTTPRequest, _ finish: @escaping Reply) {
    guard API.isLongToSend(response, for: request) else { return finish(.success(response)) }
    run(.quick, request, finish) { response }
  }

  /// Whether compressing or copying an answer would keep an event loop for a good part of a millisecond.
  private static func isLongToSend(_ response: HTTPResponse, for request: HTTPRequest) -> Bool {
    let (count, kept) = (response.kept?.bytes.count ?? response.body.count, response.kept)
    if kept == nil, count > longToCopy { return true }
    return count > longToPack && kept?.isPacked != true && request.headers["Accept-Encoding"] != nil
  }

  /// The longest answers that an event loop compresses, at about 100 bytes a microsecond, and sends as they
  /// are, in bytes.
  private static let (longToPack, longToCopy) = (48 << 10, 1 << 20)

  /// Makes a response away from the event loops.
  private func run(
    _ lane: WorkQueue.Lane, _ request: HTTPRequest,
    noteTime: @escaping Job.TimeNote = { _, _ in }, _ finish: @escaping Reply,
    _ work: @escaping @Sendable () throws -> HTTPResponse
  ) {
    enqueue(lane, request, noteTime: noteTime, finish) {
      let response = try work()
      // Cancelled work is answered with the reason.
      if !Cancellation.isOver { finish(.success(response)) }
    }
  }

  /// Has work done for a request away from the event loops. The request is answered with an error that the work throws.
  func enqueue(
    _ lane: WorkQueue.Lane, _ request: HTTPRequest, mayTakeLong: Bool = true,
    noteTime: @escaping Job.TimeNote = { _, _ in },
    _ finish: @escaping Reply, _ work: @escaping @Sendable () throws -> Void
  ) {
    request.note { $0.enter(lane.rawValue) }
    let timeout = requestTimeout
    let deadline = MonotonicTime.now + UInt(timeout) * 1_000_000_000
    let isWrite =
      mayTakeLong && (lane == .write || API.isLong(request) && Route.writes(request))
    let job = Job(
      of: request.client, isLong: lane != .quick, deadline: isWrite ? nil : deadline,
      isAbandoned: { request.isAbandoned },
      fail: { failure in
        let problem =
          switch failure {
          case .abandoned: Problem(499, "the client has gone")
          case .late: Problem.late(timeout)
          case .refused: Problem.unavailable("too many long requests are waiting", .queue)
          }
        finish(.failure(problem))
      }, noteWait: { waited in request.note { $0.waited += waited } }, noteTime: noteTime,
      work: {
        do { try work() } catch {
          // Cancelled work begins again, or is answered with the reason.
          if !Cancellation.isOver { finish(.failure(error)) }
        }
      })
    (lane == .write ? writeWork : readWork).enqueue(job)
  }

  /// Reserves memory for a write.
  private func share(
    of bytes: Int, for request: HTTPRequest
  ) throws(Problem) -> WriteMemory.Share {
    let memory = resources.writer.memory
    if let share = memory.share(of: bytes, for: request.client) { return share }
    throw memory.hasRoom(for: bytes) ? .tooManyOwnWrites : .tooManyWrites
  }

  private func enqueue(
    _ asked: WriteRequest, _ share: WriteMemory.Share, _ request: HTTPRequest,
    _ finish: @escaping Reply
  ) throws(Problem) {
    request.note { $0.endWork() }
    let note: WriteQueue.Note = { times in request.note { $0.write = times } }
    let (write, view) = (asked.write, asked.write.view)
    let accepted = resources.writer.enqueue(write, share, note: note) { [weak self] outcome in
      if case .failure(CollectionsError.outdated) = outcome, let again = asked.again, let self {
        return seek(again, request, finish)
      }
      // A long answer, or a look at what a tenant sees, must not keep the next writes waiting.
      guard view.isFiltered || asked.isLong(outcome), let self else {
        return finish(asked.response(to: outcome))
      }
      let isMuch = view.plan(for: write.collection) == .selectedFromAll
      readWork.enqueue(
        Job(
          of: request.client, isLong: isMuch, isAbandoned: { false },
          fail: { _ in finish(asked.response(to: outcome)) }
        ) {
          let response = asked.response(to: write.telling(outcome))
          if !Cancellation.isOver { finish(response) }
        })
    }
    if !accepted { throw Problem.stopping }
  }

  /// The path of a route as openapi.yaml has it, by its number.
  public static func label(ofRoute number: Int?) -> String {
    number.map { Route.labels[$0] } ?? Route.unknown
  }

  /// The answer to input that is not a request: broken HTTP, or over a limit.
  public static func protocolError(status: Int, reason: String) -> HTTPResponse {
    var response = Problem(status, reason).response
    CrossOrigin.open(&response)
    return response
  }
}
