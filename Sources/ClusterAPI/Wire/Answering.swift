import HTTPServer

/// How the outcome of a request becomes the response that its client gets.
final class Answering: Sendable {
  let request: HTTPRequest
  private let origins: OriginPolicy
  private let writes: @Sendable (HTTPRequest) -> Bool
  private let route: @Sendable (HTTPRequest) -> Int?
  private let isGuarded: Bool
  /// After so many microseconds a request is slow.
  private let slow: Int
  private let refusals: Refusals
  private let reply: @Sendable (HTTPResponse) -> Void
  /// Is given each error; returns whether the request waits, to begin again, instead of being answered with it.
  private let wait: @Sendable (any Error, Answering) -> Bool
  /// Until when it may wait, by ``MonotonicTime``; nil if it hasn't begun to.
  let deadline: UInt?

  /// Prepares the answer to a request.
  ///
  /// - Parameters:
  ///   - writes: whether a request is a write.
  ///   - route: the number of the resource that a request names.
  ///   - isGuarded: whether the answer depends on the client's key.
  ///   - slow: the microseconds after which the shape of the request is noted.
  ///   - wait: is given each error; returns whether the request waits, to begin again.
  init(
    _ request: HTTPRequest, _ origins: OriginPolicy,
    writes: @escaping @Sendable (HTTPRequest) -> Bool,
    route: @escaping @Sendable (HTTPRequest) -> Int?, isGuarded: Bool, slow: Int,
    _ refusals: Refusals,
    _ reply: @escaping @Sendable (HTTPResponse) -> Void,
    wait: @escaping @Sendable (any Error, Answering) -> Bool
  ) {
    (self.request, self.origins, self.writes, self.route) = (request, origins, writes, route)
    (self.refusals, self.reply) = (refusals, reply)
    (self.isGuarded, self.slow, self.wait, deadline) = (isGuarded, slow, wait, nil)
  }

  /// The same answer after a wait that lasts no longer than to a deadline.
  init(_ other: Answering, until deadline: UInt) {
    (request, origins, writes, route) = (other.request, other.origins, other.writes, other.route)
    (refusals, reply) = (other.refusals, other.reply)
    (isGuarded, slow, wait) = (other.isGuarded, other.slow, other.wait)
    self.deadline = deadline
  }

  /// Answers the request, or lets it wait. To be called once.
  func finish(_ result: Result<HTTPResponse, any Error>) {
    var (response, refusal): (HTTPResponse, Refusal?)
    switch result {
    case .success(let success): (response, refusal) = (success, nil)
    case .failure(let error):
      if wait(error, self) { return }
      let inBody = [.post, .put, .patch].contains(request.method)
      let problem = Problem.from(error, bodyFields: inBody) { reason in
        request.note { $0.failure = reason }
      }
      refusal = refusals.count(problem)
      response = problem.response(to: request)
    }
    note(refusal, isFailure: (try? result.get()) == nil)
    CrossOrigin.open(&response, for: request, origins, writes: writes)
    if isGuarded { Caching.keepPrivate(&response, to: request) }
    reply(response)
  }

  /// Notes the outcome for the log.
  private func note(_ refusal: Refusal?, isFailure: Bool) {
    // A request that was refused early has not been routed.
    let route = isFailure ? self.route(request) : nil
    var shape: String?
    if request.body.count > 0, refusal != nil || request.microseconds >= slow {
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
