import HTTPServer

/// The HTTP API: a function from requests to responses, which can be called on any thread.
///
/// Reads are answered on the calling thread, from a snapshot. Writes are read there, handed to the only
/// writer, and answered when they are on disk and visible. Work that may take long has threads of its own.
public final class API: Sendable {
  let resources: Resources
  private let report: @Sendable (String) -> Void
  private let workers = WorkQueue()

  /// An API over a catalogue and its writer. `report` is given the errors that clients aren't told.
  public init(
    catalog: Catalog, writer: CollectionWriter, metrics: Metrics,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.report = report
    resources = Resources(catalog: catalog, writer: writer, metrics: metrics, report: report)
  }

  /// Answers a request. `reply` is called exactly once, here or on another thread.
  public func handle(_ request: HTTPRequest, reply: @escaping @Sendable (HTTPResponse) -> Void) {
    let report = self.report
    let finish: Reply = { result in
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
      switch try Route.outcome(of: request, from: resources) {
      case .now(let response): finish(.success(response))
      case .later(let work): try run { finish(Result { try work() }) }
      case .write(let write): try enqueue(write, try share(of: write.bytes), finish)
      case .longWrite(let read):
        let share = try share(of: request.body.count)
        try run {
          do {
            let write = try read()
            guard share.resize(to: write.bytes) else { throw API.tooManyWrites }
            try self.enqueue(write, share, finish)
          } catch { finish(.failure(error)) }
        }
      case .deferred(let begin): try begin(finish)
      }
    } catch {
      finish(.failure(error))
    }
  }

  /// Ends all streams of changes. To be called last, when no request can come any more.
  public func close() { resources.hub.close() }

  /// Runs work that may take long.
  private func run(_ work: @escaping WorkQueue.Work) throws(Problem) {
    guard workers.enqueue(work) else {
      throw Problem.unavailable("too many long requests are waiting")
    }
  }

  private static let tooManyWrites = Problem.unavailable("too many writes are waiting")

  /// Reserves memory for a write.
  private func share(of bytes: Int) throws(Problem) -> WriteMemory.Share {
    guard let share = resources.writer.memory.share(of: bytes) else { throw API.tooManyWrites }
    return share
  }

  private func enqueue(
    _ write: Write, _ share: WriteMemory.Share, _ finish: @escaping Reply
  ) throws(Problem) {
    let workers = self.workers
    let accepted = resources.writer.enqueue(write, share) { result in
      // Compressing a long answer must not keep the next writes waiting.
      let isLong = (try? result.get().body.count > API.longAnswer) ?? false
      if !isLong || !workers.enqueue({ finish(result) }) { finish(result) }
    }
    if !accepted { throw Problem.stopping }
  }

  /// The longest answer that the writer sends itself, in bytes.
  private static let longAnswer = 16 << 10

  /// The answer to input that is not a request: broken HTTP, or over a limit.
  public static func protocolError(status: Int, info: ProtocolErrorInfo) -> HTTPResponse {
    var response = Problem(status, info.reason).response
    response.headers.append((name: "Access-Control-Allow-Origin", value: "*"))
    return response
  }
}
