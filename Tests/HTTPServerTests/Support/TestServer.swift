import Glibc
import TestSupport
import Threading
@testable import HTTPServer

/// A running server on a free port, which is shut down with its last reference.
final class TestServer: Sendable {
  let server: HTTPServer
  var port: Int { server.port }

  convenience init(handler: @escaping HTTPServer.Handler) throws {
    try self.init(change: { _ in }, handler: handler)
  }

  convenience init(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) throws {
    try self.init(change: change, handler: TestServer.echo)
  }

  init(
    change: (inout HTTPServer.Configuration) -> Void, handler: @escaping HTTPServer.Handler
  ) throws {
    var configuration = HTTPServer.Configuration()
    configuration.port = 0
    configuration.threads = 1
    configuration.drainTimeout = 10
    change(&configuration)
    server = try HTTPServer(configuration: configuration, handler: handler)
    try server.start()
  }

  deinit { server.shutdown() }

  /// A connection from 127.0.0.0 + `host`, to which ten seconds of silence are an end. A text is sent on it at once.
  func connect(from host: UInt32 = 1, sending text: String? = nil) throws -> TestConnection {
    let socket = try TestConnection(port: UInt16(port), timeout: 10, from: host)
    if let text { socket.send(text) }
    return socket
  }

  /// Answers with the method, the target and the body.
  static let echo: HTTPServer.Handler = { request, reply in
    let body = request.body.withUnsafeBytes { Array($0) }
    reply(
      HTTPResponse(
        status: 200, headers: [(name: "Content-Type", value: "text/plain")],
        body: Array("\(request.method) \(request.target) ".utf8) + body))
  }

  /// Waits until the condition holds. Returns false if it does not within ten seconds.
  func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<2000 {
      if condition() { return true }
      usleep(5000)
    }
    return condition()
  }
}

/// Replies that a test holds back.
final class Held: Sendable {
  typealias Reply = @Sendable (HTTPResponse) -> Void
  private let replies = Locked<[Reply]>([])

  var count: Int { replies.withLock { $0.count } }
  func add(_ reply: @escaping Reply) { replies.withLock { $0.append(reply) } }
  func takeAll() -> [Reply] {
    replies.withLock { held in
      defer { held = [] }
      return held
    }
  }

  /// Answers them all from this thread.
  func answerAll(_ text: String = "late") {
    for reply in takeAll() { reply(HTTPResponse(status: 200, body: Array(text.utf8))) }
  }
}

/// The descriptors that this process has open.
func openDescriptors() -> Int {
  var count = 0
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  while readdir(directory) != nil { count += 1 }
  closedir(directory)
  return count
}
