import Collections
import HTTPServer

/// A write, and how the answer is made of what it came to.
struct WriteRequest: Sendable {
  let write: Write
  /// Makes the write that takes its place, away from the writer, if it is ``CollectionsError/outdated``.
  var again: (@Sendable () throws -> WriteRequest)?
  /// Whether the answer may take long to make.
  var isSlowToAnswer = false
  /// The problem of an error that means more for this request than for others; nil for all others.
  var problem: @Sendable (any Error) -> Problem? = { _ in nil }
  /// Makes the answer, once the write is on disk.
  let answer: @Sendable (WriteOutcome.Result) throws -> HTTPResponse

  /// The longest answer that the writer's thread makes and sends, in bytes.
  private static let longAnswer = 16 << 10

  /// Whether making the answer, or compressing it, would keep the next writes waiting.
  func isLong(_ outcome: Result<WriteOutcome, any Error>) -> Bool {
    guard case .success(let outcome) = outcome else { return false }
    if isSlowToAnswer { return true }
    return switch outcome.result {
    // Most ids are short.
    case .stored(_, _, _, let ids): ids.count * 32 > WriteRequest.longAnswer
    case .storedOne(let batch, _): batch.byteCount > WriteRequest.longAnswer
    case .described, .dropped, .deleted: false
    }
  }

  /// The response to what the write came to, with the version that its author sees then.
  func response(
    to outcome: Result<WriteOutcome, any Error>
  ) -> Result<HTTPResponse, any Error> {
    switch outcome {
    case .success(let outcome):
      return Result {
        var response = try answer(outcome.result)
        if let version = outcome.version {
          response.headers.append((VersionField.name, "\(version)"))
        }
        return response
      }
    case .failure(let error): return .failure(problem(error) ?? error)
    }
  }
}

extension WriteConditions {
  /// The conditions that a client sets for a write. The entity tag of a feature is the name of its state.
  init(_ request: HTTPRequest) {
    func states(_ name: String, weak: Bool) -> States? {
      EntityTag.states(named: name, in: request.headers, weak: weak).map {
        $0.isAny ? .any : .named($0.tags)
      }
    }
    self.init(
      match: states("If-Match", weak: false), noneMatch: states("If-None-Match", weak: true))
  }
}

extension Resources {
  /// The conditions that a client sets for a write of a collection, or of what its path and query name; nil for none. The
  /// names of a state are the entity tags of what a GET answers.
  ///
  /// - Parameters:
  ///   - types: the types of these answers.
  ///   - hasQuery: whether the query names something, and isn't of the body.
  func conditions(
    _ request: HTTPRequest, _ types: [MediaType], hasQuery: Bool = true
  ) -> CollectionConditions? {
    var target = Resources.withoutFormat(request)
    target.body = .empty
    if !hasQuery { target.query = nil }
    let base = base(of: request)
    let hashes = types.map { Resources.tagHash(target, $0, links: base) }
    return CollectionConditions(WriteConditions(request)) { [self] info in
      hashes.map { entityTag(info, $0) }
    }
  }

  /// A request without the type that its query chooses, for the tags of lists: a write can't choose one.
  static func withoutFormat(_ request: HTTPRequest) -> HTTPRequest {
    guard let query = request.query, query.utf8.contains(UInt8(ascii: "f")) else { return request }
    var plain = request
    let parts = query.parts(separatedBy: UInt8(ascii: "&")).filter { !$0.begins(with: "f=") }
    plain.query = parts.isEmpty ? nil : parts.joined(separator: "&")
    return plain
  }
}
