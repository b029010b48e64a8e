import HTTPServer

/// How the outcome of a request becomes the response that its client gets.
final class Answering: Sendable {
  private let request: HTTPRequest
  private let origins: OriginPolicy
  private let writes: @Sendable (HTTPRequest) -> Bool
  private let isGuarded: Bool
  private let report: @Sendable (String) -> Void
  private let refusals: Refusals
  private let reply: @Sendable (HTTPResponse) -> Void

  /// Prepares the answer to a request.
  ///
  /// - Parameters:
  ///   - writes: whether a request changes what is stored.
  ///   - isGuarded: whether the answer depends on who asks.
  init(
    _ request: HTTPRequest, _ origins: OriginPolicy,
    writes: @escaping @Sendable (HTTPRequest) -> Bool, isGuarded: Bool,
    _ report: @escaping @Sendable (String) -> Void, _ refusals: Refusals,
    _ reply: @escaping @Sendable (HTTPResponse) -> Void
  ) {
    (self.request, self.origins, self.writes) = (request, origins, writes)
    (self.report, self.refusals, self.reply) = (report, refusals, reply)
    self.isGuarded = isGuarded
  }

  /// Answers the request. To be called once.
  func finish(_ result: Result<HTTPResponse, any Error>) {
    var response: HTTPResponse
    switch result {
    case .success(let success): response = success
    case .failure(let error):
      let inBody = [.post, .put, .patch].contains(request.method)
      let problem = Problem.from(error, bodyFields: inBody, report: report)
      refusals.count(problem)
      response = problem.response
    }
    CrossOrigin.open(&response, for: request, origins, writes: writes)
    if isGuarded { Caching.keepPrivate(&response, to: request) }
    reply(response)
  }
}
