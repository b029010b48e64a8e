import Glibc
import TestSupport
import Testing

extension ServerProcess {
  /// A server that has loaded its collections.
  static func ready(
    data: TemporaryDirectory? = nil, arguments: [String] = [], environment: [String: String] = [:],
    launcher: [String] = []
  ) throws -> ServerProcess {
    let server = try ServerProcess(
      data: data, arguments: arguments, environment: environment, launcher: launcher)
    try #require(eventually { (try? server.client.get("/health/ready"))?.status == 200 })
    return server
  }

  /// A server with these features in a collection.
  static func holding(
    _ features: [TwinFeature], in collection: String, arguments: [String] = []
  ) throws -> ServerProcess {
    let server = try ServerProcess.ready(arguments: arguments)
    try server.store(features, in: collection)
    return server
  }

  /// Upserts features, at most 10,000 in each request.
  func store(_ features: [TwinFeature], in collection: String) throws {
    for start in stride(from: 0, to: features.count, by: 10_000) {
      let part = features[start..<min(start + 10_000, features.count)]
      let answer = try client.send(
        "POST", "/collections/\(collection)/items", json: part.featureCollection,
        type: "application/geo+json")
      try #require(answer.status == 200, "\(answer.text.prefix(500))")
    }
  }

  /// The body of an answer that must be 200.
  func body(_ path: String) throws -> [UInt8] {
    let answer = try client.get(path)
    try #require(answer.status == 200, "\(path): \(answer.text.prefix(500))")
    return answer.body
  }

  /// The JSON of an answer that must be 200.
  func json(_ path: String) throws -> TestJSON { try TestJSON(parsing: try body(path)) }

  /// The lines of the log that a healthy server does not write: errors, and lines that are not JSON.
  var complaints: [String] {
    log.filter { $0["level"]?.string != "info" && $0["level"]?.string != "debug" }.map(\.text)
  }

  /// Expects that the server still answers and has logged no errors.
  func expectHealthy(sourceLocation: SourceLocation = #_sourceLocation) {
    let answer = try? client.get("/health/ready")
    #expect(answer?.status == 200, sourceLocation: sourceLocation)
    #expect(complaints.isEmpty, sourceLocation: sourceLocation)
  }
}

/// Whether a condition becomes true within 30 seconds.
func eventually(_ condition: () -> Bool) -> Bool {
  for _ in 0..<3000 {
    if condition() { return true }
    usleep(10_000)
  }
  return condition()
}

extension TestResponse {
  /// What differs from the contract's answer to a bad request: the status, problem details that repeat it,
  /// and the pointer among the errors. Nil if nothing does.
  func flaw(status: Int, pointer: String? = nil) -> String? {
    guard self.status == status else { return "is \(self.status), not \(status): \(excerpt)" }
    guard mediaType == "application/problem+json" else {
      return "comes as \(mediaType ?? "nothing")"
    }
    guard let problem = try? json() else { return "isn't JSON: \(excerpt)" }
    guard problem["status"]?.int == status, problem["type"]?.string != nil,
      problem["title"]?.string?.isEmpty == false, problem["detail"]?.string?.isEmpty == false
    else { return "isn't a whole problem: \(excerpt)" }
    let pointers = (problem["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
    if let pointer, !pointers.contains(pointer) { return "points at \(pointers): \(excerpt)" }
    return nil
  }

  private var excerpt: String { String(text.prefix(300)) }
}
