import Glibc

/// The built server, running on a free port of 127.0.0.1.
///
/// It logs `{"level":"info","event":"listening","host":"127.0.0.1","port":12345,…}` on standard
/// error when it answers. It is killed when its owner goes.
///
///     let server = try ServerProcess.holding(features, in: "c", arguments: ["--threads", "1"])
///     let view = try server.json("/collections/c/clusters?bbox=0,0,9,9&zoom=3")
///     #expect(server.terminate() == 0)
public final class ServerProcess: Sendable {
  /// Why the server didn't come up.
  public struct NotListening: Error, Sendable, CustomStringConvertible {
    /// Why, with what it wrote.
    public let description: String
  }

  /// An answer other than the one that a test needs to go on.
  public struct Unexpected: Error, Sendable, CustomStringConvertible {
    /// What was asked for, and the answer.
    public let description: String
  }

  /// The process.
  public let process: ChildProcess
  /// The port.
  public let port: UInt16
  /// The data directory.
  public let data: TemporaryDirectory
  /// Where it is.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Starts `pincluster serve --port 0 --data DIR` with further arguments and waits until it
  /// listens. Give the directory of an earlier one to start again on its data. A launcher is a command
  /// that becomes the one whose words follow its own.
  public init(
    data: TemporaryDirectory? = nil, arguments: [String] = [],
    environment: [String: String] = [:], launcher: [String] = [], timeout seconds: Double = 30
  ) throws {
    let directory = try data ?? TemporaryDirectory()
    let process = try ServerProcess.begin(
      on: directory, arguments: arguments, environment: environment, launcher: launcher)
    self.data = directory
    self.process = process
    port = try ServerProcess.awaitPort(process, seconds: seconds)
  }

  /// Starts the same process, and waits for nothing.
  public static func begin(
    on data: TemporaryDirectory, arguments: [String] = [], environment: [String: String] = [:],
    launcher: [String] = []
  ) throws -> ChildProcess {
    guard let binary = ServerBinary.path() else {
      throw NotListening(description: "pincluster isn't built")
    }
    let command = launcher + [binary, "serve", "--port", "0", "--data", data.path] + arguments
    // Enough for a build without optimization on a busy machine.
    let environment = ["PINCLUSTER_REQUEST_TIMEOUT": "600"].merging(environment) { $1 }
    return try ChildProcess(command[0], Array(command.dropFirst()), environment: environment)
  }

  /// A server that has loaded its collections.
  public static func ready(
    data: TemporaryDirectory? = nil, arguments: [String] = [], environment: [String: String] = [:],
    launcher: [String] = []
  ) throws -> ServerProcess {
    let server = try ServerProcess(
      data: data, arguments: arguments, environment: environment, launcher: launcher)
    guard eventually({ (try? server.client.get("/health/ready"))?.status == 200 }) else {
      throw NotListening(description: "not ready: \(server.standardError)")
    }
    return server
  }

  /// A server with these features in a collection.
  public static func holding(
    _ features: [TwinFeature], in collection: String, arguments: [String] = []
  ) throws -> ServerProcess {
    let server = try ServerProcess.ready(arguments: arguments)
    try server.store(features, in: collection)
    return server
  }

  private static func awaitPort(_ process: ChildProcess, seconds: Double) throws -> UInt16 {
    for _ in 0..<Int(seconds * 200) {
      let ended = process.exit()  // asked first, so that all it wrote is read below
      if let port = listeningPort(process.standardError) { return port }
      if let ended {
        throw NotListening(description: "ended with \(ended): \(process.standardError)")
      }
      usleep(5000)
    }
    throw NotListening(description: "not within \(seconds) s: \(process.standardError)")
  }

  /// The port of the first complete "listening" line of a log.
  public static func listeningPort(_ log: String) -> UInt16? {
    guard let end = log.lastIndex(of: "\n") else { return nil }
    for line in log[..<end].split(separator: "\n") {
      if let entry = try? TestJSON(parsing: String(line)), entry["event"] == "listening" {
        return entry["port"]?.int.flatMap(UInt16.init(exactly:))
      }
    }
    return nil
  }

  /// What it wrote to standard error so far.
  public var standardError: String { process.standardError }

  /// The lines of its log so far; a line that isn't JSON comes as a string.
  public var log: [TestJSON] {
    standardError.split(separator: "\n").map { line in
      (try? TestJSON(parsing: String(line))) ?? .string(String(line))
    }
  }

  /// The lines of its log that a healthy server does not write: errors, and lines that are not JSON.
  public var complaints: [String] {
    log.filter { $0["level"]?.string != "info" && $0["level"]?.string != "debug" }.map(\.text)
  }

  /// A client of it.
  public var client: TestClient { TestClient(port: port) }

  /// Upserts features, at most 10,000 in each request.
  public func store(_ features: [TwinFeature], in collection: String) throws {
    for start in stride(from: 0, to: features.count, by: 10_000) {
      let part = features[start..<min(start + 10_000, features.count)]
      let answer = try client.send(
        "POST", "/collections/\(collection)/items", json: part.featureCollection,
        type: "application/geo+json")
      guard answer.status == 200 else {
        throw Unexpected(description: "storing: \(answer.status) \(answer.text.prefix(500))")
      }
    }
  }

  /// The body of an answer that must be 200.
  public func body(_ path: String) throws -> [UInt8] {
    let answer = try client.get(path)
    guard answer.status == 200 else {
      throw Unexpected(description: "\(path): \(answer.status) \(answer.text.prefix(500))")
    }
    return answer.body
  }

  /// The JSON of an answer that must be 200.
  public func json(_ path: String) throws -> TestJSON { try TestJSON(parsing: try body(path)) }

  /// Ends it at once, as a power cut would, and waits until it is gone.
  public func kill() {
    process.signal(SIGKILL)
    _ = process.waitForExit()
  }

  /// Asks it to stop (SIGTERM) and waits; its exit code, nil if it died otherwise or didn't end in
  /// time.
  public func terminate(timeout seconds: Double = 30) -> Int32? {
    process.signal(SIGTERM)
    let exit = process.waitForExit(seconds: seconds)
    // What a sanitizer found is told there.
    if exit != .code(0) { print("\(String(describing: exit)): \(standardError)") }
    if case .code(let code) = exit { return code }
    return nil
  }
}

/// Whether a condition becomes true within 30 seconds.
public func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<3000 {
    if try condition() { return true }
    usleep(10_000)
  }
  return try condition()
}
