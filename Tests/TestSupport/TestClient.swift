import Glibc

/// A small blocking HTTP/1.1 client. Nothing is checked or corrected on the way out, so that
/// malformed requests can be sent too.
public struct TestClient: Sendable {
  /// What went wrong on the wire.
  public enum Failure: Error, Equatable, Sendable {
    /// A system call failed.
    case system(String, errno: Int32)
    /// The connection ended, or nothing came in time, before a whole answer did.
    case noAnswer([UInt8])
    /// The answer isn't HTTP.
    case malformed(String)
  }

  /// The port on 127.0.0.1.
  public let port: UInt16
  /// How long to wait for bytes, in seconds.
  public var timeout = 60

  /// A client of a server on 127.0.0.1.
  public init(port: UInt16) { self.port = port }

  /// Opens a connection to keep, from an address of this machine; see ``TestConnection``.
  public func connect(from host: UInt32 = 1) throws(Failure) -> TestConnection {
    try TestConnection(port: port, timeout: timeout, from: host)
  }

  /// One request on a connection of its own.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = [],
    body: some Collection<UInt8> & Sendable
  ) throws(Failure) -> TestResponse {
    let connection = try connect()
    return try connection.send(
      method, path, headers: headers + [("Connection", "close")], body: Array(body))
  }

  /// One request without a body.
  public func send(
    _ method: String, _ path: String, headers: [(String, String)] = []
  ) throws(Failure) -> TestResponse {
    try connect().send(method, path, headers: headers + [("Connection", "close")])
  }

  /// GET.
  public func get(_ path: String, headers: [(String, String)] = []) throws(Failure) -> TestResponse
  {
    try send("GET", path, headers: headers)
  }

  /// A request with a JSON body (or any other of that media type).
  public func send(
    _ method: String, _ path: String, json: String, type: String = "application/json"
  ) throws(Failure) -> TestResponse {
    try send(method, path, headers: [("Content-Type", type)], body: Array(json.utf8))
  }

  /// POST of a JSON value.
  public func post(_ path: String, _ value: TestJSON) throws(Failure) -> TestResponse {
    try send("POST", path, json: value.text)
  }

  /// Sends these bytes, whatever they are, closes the sending side if asked to, and returns every
  /// byte that comes back until the server closes or the timeout passes.
  public func raw(_ bytes: some Collection<UInt8>, closing: Bool = true) throws(Failure)
    -> [UInt8]
  {
    let connection = try connect()
    // A server may answer and close before it has read everything.
    try? connection.write(Array(bytes))
    if closing { connection.finishSending() }
    return connection.readToEnd()
  }

  /// As ``raw(_:closing:)``, read as one answer.
  public func rawResponse(_ text: String, closing: Bool = true) throws(Failure) -> TestResponse {
    let bytes = try raw(text.utf8, closing: closing)
    var parser = TestResponseParser(bytes)
    guard let response = try parser.next(toHead: text.hasPrefix("HEAD "), atEnd: true) else {
      throw .noAnswer(bytes)
    }
    return response
  }
}
