import HTTPServer
import Threading

/// The HTTP API: a function from requests to responses, which can be called on any thread.
///
/// Reads are answered on the calling thread, from a snapshot. Writes are read there, handed to the only
/// writer, and answered when they are on disk and visible. Work that may take long has threads of its own, and
/// is not begun once its client has gone.
public final class API: Sendable {
  let resources: Resources
  private let report: @Sendable (String) -> Void
  private let quickWork = WorkQueue(threads: max(1, Processors.count / 2))
  private let writeWork = WorkQueue(threads: max(1, Processors.count / 2))
  private let longWork = WorkQueue(threads: max(2, Processors.count))

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
    let refusals = resources.metrics.refusals
    let finish: Reply = { result in
      var response: HTTPResponse
      switch result {
      case .success(let success): response = success
      case .failure(let error):
        let inBody = [.post, .put, .patch].contains(request.method)
        let problem = Problem.from(error, bodyFields: inBody, report: report)
        refusals.count(problem)
        response = problem.response
      }
      CrossOrigin.open(&response, for: request)
      reply(response)
    }
    do {
      if request.body.count > ParserPool.maximumBody {
        // Other methods have no use for a body, and would keep it until they are answered.
        guard [.post, .put, .patch].contains(request.method) else { throw ParserPool.tooLarge }
      }
      switch try Route.outcome(of: request, from: resources) {
      case .now(let response): finish(.success(response))
      case .later(let lane, let work):
        run(lane, request, finish) { finish(Result { try work() }) }
      case .write(let write):
        try enqueue(write, try share(of: write.bytes, for: request), request, finish)
      case .longWrite(let read):
        let share = try share(of: request.body.count, for: request)
        run(.write, request, finish) {
          do {
            let write = try read(share)
            guard share.resize(to: write.bytes) else { throw Problem.tooManyWrites }
            try self.enqueue(write, share, request, finish)
          } catch {
            share.giveBack()
            finish(.failure(error))
          }
        }
      case .deferred(let begin): try begin(finish)
      }
    } catch {
      finish(.failure(error))
    }
  }

  /// Ends all streams of changes. To be called last, when no request can come any more.
  public func close() { resources.hub.close() }

  /// Runs work away from the event loops.
  private func run(
    _ lane: WorkQueue.Lane, _ request: HTTPRequest, _ finish: @escaping Reply,
    _ work: @escaping @Sendable () -> Void
  ) {
    let queue =
      switch lane {
      case .quick: quickWork
      case .write: writeWork
      case .long: longWork
      }
    let job = WorkQueue.Job(
      run: work, abandon: { finish(.failure(Problem(499, "the client has gone"))) },
      refuse: {
        finish(.failure(Problem.unavailable("too many long requests are waiting", .queue)))
      },
      isAbandoned: { request.isAbandoned })
    queue.enqueue(job, of: request.client)
  }

  /// Reserves memory for a write.
  private func share(
    of bytes: Int, for request: HTTPRequest
  ) throws(Problem) -> WriteMemory.Share {
    guard let share = resources.writer.memory.share(of: bytes, for: request.client) else {
      throw Problem.tooManyWrites
    }
    return share
  }

  private func enqueue(
    _ write: Write, _ share: WriteMemory.Share, _ request: HTTPRequest, _ finish: @escaping Reply
  ) throws(Problem) {
    let accepted = resources.writer.enqueue(write, share) { [weak self] result in
      // Compressing a long answer must not keep the next writes waiting.
      let isLong = (try? result.get().body.count > API.longAnswer) ?? false
      guard isLong, let self else { return finish(result) }
      let send: @Sendable () -> Void = { finish(result) }
      quickWork.enqueue(
        .init(run: send, abandon: send, refuse: send, isAbandoned: { false }), of: request.client)
    }
    if !accepted { throw Problem.stopping }
  }

  /// The longest answer that the writer sends itself, in bytes.
  private static let longAnswer = 16 << 10

  /// The answer to input that is not a request: broken HTTP, or over a limit.
  public static func protocolError(status: Int, info: ProtocolErrorInfo) -> HTTPResponse {
    var response = Problem(status, info.reason).response
    CrossOrigin.open(&response)
    return response
  }
}
