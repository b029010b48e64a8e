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
  private let report: @Sendable (String) -> Void
  private let refusals: Refusals
  private let reply: @Sendable (HTTPResponse) -> Void

  /// Prepares the answer to a request.
  ///
  /// - Parameters:
  ///   - writes: whether a request changes what is stored.
  ///   - route: the number of the resource that a request names.
  ///   - isGuarded: whether the answer depends on who asks.
  ///   - slow: the microseconds after which it is told what the request was about.
  init(
    _ request: HTTPRequest, _ origins: OriginPolicy,
    writes: @escaping @Sendable (HTTPRequest) -> Bool,
    route: @escaping @Sendable (HTTPRequest) -> Int?, isGuarded: Bool, slow: Int,
    _ report: @escaping @Sendable (String) -> Void, _ refusals: Refusals,
    _ reply: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    (self.request, self.origins, self.writes, self.route) = (request, origins, writes, route)
    (self.report, self.refusals, self.reply) = (report, refusals, reply)
    (self.isGuarded, self.slow) = (isGuarded, slow)
  }

  /// Answers the request. To be called once.
  func finish(_ result: Result<HTTPResponse, any Error>) {
    var (response, refusal): (HTTPResponse, Refusal?)
    switch result {
    case .success(let success): (response, refusal) = (success, nil)
    case .failure(let error):
      let inBody = [.post, .put, .patch].contains(request.method)
      let problem = Problem.from(error, bodyFields: inBody, report: report)
      refusal = refusals.count(problem)
      response = problem.response
    }
    note(refusal, isFailure: (try? result.get()) == nil)
    CrossOrigin.open(&response, for: request, origins, writes: writes)
    if isGuarded { Caching.keepPrivate(&response, to: request) }
    reply(response)
  }

  /// Notes for the log what is known now.
  private func note(_ refusal: Refusal?, isFailure: Bool) {
    // What was refused early has not been looked at.
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
