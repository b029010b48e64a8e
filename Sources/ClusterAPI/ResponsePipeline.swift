import HTTPServer

/// How the outcome of a request becomes the response that its client gets.
final class ResponsePipeline: Sendable {
  let request: HTTPRequest
  private let api: API
  private let reply: @Sendable (HTTPResponse) -> Void
  /// Until when it may wait, by ``MonotonicTime``; nil if it hasn't begun to.
  let deadline: UInt?

  /// Prepares the answer to a request.
  init(
    _ request: HTTPRequest, by api: API, until deadline: UInt? = nil,
    _ reply: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    (self.request, self.api, self.deadline, self.reply) = (request, api, deadline, reply)
  }

  /// The same answer after a wait that lasts no longer than to a deadline.
  func waiting(until deadline: UInt) -> ResponsePipeline {
    ResponsePipeline(request, by: api, until: deadline, reply)
  }

  /// Answers the request, or lets it wait, to begin again. To be called once.
  func finish(_ result: Result<HTTPResponse, any Error>) {
    var (response, refusal): (HTTPResponse, Refusal?)
    switch result {
    case .success(let success): (response, refusal) = (success, nil)
    case .failure(let error):
      if api.wait(after: error, self) { return }
      let inBody = [.post, .put, .patch].contains(request.method)
      let problem = Problem.from(error, bodyFields: inBody) { reason in
        request.note { $0.failure = reason }
      }
      refusal = api.resources.metrics.refusals.count(problem)
      response = problem.response(to: request)
    }
    note(refusal, isFailure: (try? result.get()) == nil)
    CrossOrigin.open(&response, for: request, api.origins, writes: Route.writes)
    // The answer depends on the client's key then.
    if api.access != nil { Caching.keepPrivate(&response, to: request) }
    reply(response)
  }

  /// Notes the outcome for the log.
  private func note(_ refusal: Refusal?, isFailure: Bool) {
    // A request that was refused early has not been routed.
    let route = isFailure ? (try? Route.find(request.path))?.parameters.route : nil
    var shape: String?
    if request.body.count > 0, refusal != nil || request.microseconds >= api.slowRequest {
      shape = RequestShape.ofBody(request.body)
    }
    request.note { notes in
      notes.endWork()
      if let route { notes.route = route }
      if let refusal { notes.refusal = refusal.rawValue }
      if let shape { notes.shape = shape }
    }
  }
}
