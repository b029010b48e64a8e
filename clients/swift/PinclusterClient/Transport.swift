import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests to a service and tells refusals from answers.
struct Transport: Sendable {
  let base: URL
  /// Tells the key or token that a request shows.
  let token: @Sendable () async throws -> String?
  let session: URLSession

  /// The answer to a request that the service didn't refuse.
  struct Answer: Sendable {
    let data: Data
    let status: Int
    let tag: String?
    /// The version of the collection after a write.
    let version: Int?
  }

  /// The header field with the version of a collection, in requests that read and answers to writes.
  static let version = "Pincluster-Version"

  func request(
    _ method: String, _ path: [String], _ query: Query = Query(), body: Data? = nil,
    type: String = "application/json", headers: [(name: String, value: String)] = []
  ) throws -> URLRequest {
    var text = base.absoluteString
    if text.hasSuffix("/") { text.removeLast() }
    for part in path { text += "/\(Query.escaped(part))" }
    if !query.items.isEmpty { text += "?\(query.text)" }
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    if body != nil { request.setValue(type, forHTTPHeaderField: "Content-Type") }
    for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
    return request
  }

  /// A request that shows the key or token.
  func authorized(_ request: URLRequest) async throws -> URLRequest {
    guard let token = try await token() else { return request }
    var request = request
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    return request
  }

  /// Sends a request; throws a ``Problem`` if the service refuses it.
  func send(_ request: URLRequest) async throws -> Answer {
    let (data, response) = try await load(try await authorized(request))
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    guard response.statusCode < 400 else { throw Transport.problem(response, data) }
    return Answer(
      data: data, status: response.statusCode, tag: response.value(forHTTPHeaderField: "ETag"),
      version: Transport.version(response))
  }

  private static func version(_ response: HTTPURLResponse) -> Int? {
    response.value(forHTTPHeaderField: version).flatMap { Int($0) }
  }

  static func problem(_ response: HTTPURLResponse, _ data: Data) -> Problem {
    var problem =
      (try? JSONDecoder().decode(Problem.self, from: data)) ?? Problem(status: response.statusCode)
    problem.retryAfter = response.value(forHTTPHeaderField: "Retry-After").flatMap { Double($0) }
    problem.version = Transport.version(response)
    return problem
  }

  /// The same everywhere, also where sessions have no asynchronous calls of their own.
  private func load(_ request: URLRequest) async throws -> (Data, URLResponse) {
    let running = RunningTask()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let task = session.dataTask(with: request) { data, response, error in
          if let data, let response {
            continuation.resume(returning: (data, response))
          } else {
            continuation.resume(throwing: error ?? URLError(.badServerResponse))
          }
        }
        running.start(task)
      }
    } onCancel: {
      running.cancel()
    }
  }
}

/// A task of a session that may be cancelled before it begins. `@unchecked Sendable`: a lock guards it.
final class RunningTask: @unchecked Sendable {
  private let lock = NSLock()
  private var task: URLSessionTask?
  private var isCancelled = false

  func start(_ task: URLSessionTask) {
    let isTooLate = lock.withLock {
      self.task = task
      return isCancelled
    }
    task.resume()
    if isTooLate { task.cancel() }
  }

  func cancel() {
    let task = lock.withLock {
      isCancelled = true
      return self.task
    }
    task?.cancel()
  }
}
